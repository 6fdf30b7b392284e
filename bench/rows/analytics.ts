import { compareAnswers } from '../fixtures/answers.ts';
import { apiRequest, twoServers } from '../fixtures/two-servers.ts';
import type { Row } from '../row.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

export const analytics: Row = {
  name: 'analytics',
  title: 'cash flow of a month by day in one of four time zones, authenticated, 32 connections',
  baseline: 'the same query of the catalogue behind a Hono route with credentials, headers, limit and log line',
  aim: { kind: 'speed', atLeast: 0.8 },
  async measure({ quick, rounds }) {
    const count = quick ? 100 : 2_000;
    const servers = await twoServers({ transactions: quick ? 500 : 10_000, rules: 0 });
    try {
      const requests = Array.from({ length: count }, (_, nth) => {
        const timezone = ZONES[nth % ZONES.length] ?? 'UTC';
        const asked = `from=2024-03-01&to=2024-04-01&timezone=${timezone}`;
        return apiRequest({ method: 'GET', path: `/banks/analytics/queries/cash-flow/results?${asked}` });
      });
      return await compareAnswers(servers, rounds, requests);
    } finally {
      await servers.close();
    }
  },
};
