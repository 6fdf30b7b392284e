import { apiRequest, twoServers } from '../fixtures/two-servers.ts';
import { interleave, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

export const analytics: Row = {
  name: 'analytics',
  title: 'cash flow of a month by day in one of four time zones, authenticated, 32 connections',
  baseline: 'the same find in the store behind a bare Hono route',
  aim: { kind: 'speed', atLeast: 0.8 },
  async measure({ quick, rounds }) {
    const count = quick ? 100 : 2_000;
    const servers = await twoServers({ transactions: quick ? 500 : 10_000, rules: 0 });
    try {
      const { ours, bare } = servers;
      const requests = Array.from({ length: count }, (_, nth) => {
        const timezone = ZONES[nth % ZONES.length] ?? 'UTC';
        const asked = `from=2024-03-01&to=2024-04-01&timezone=${timezone}`;
        return apiRequest({ method: 'GET', path: `/banks/analytics/queries/cash-flow/results?${asked}` });
      });
      const bytes = { ours: 0, bare: 0 };
      const times = await interleave(rounds, {
        ours: side({
          run: async () => {
            bytes.ours = await ours.send(requests);
          },
        }),
        bare: side({
          run: async () => {
            bytes.bare = await bare.send(requests);
          },
        }),
      });
      return {
        values: ratios(times.bare, times.ours),
        details: [
          `ours ${rate(count, times.ours)} of ${Math.round(bytes.ours / count)} bytes, baseline ${rate(count, times.bare)} of ${Math.round(bytes.bare / count)} bytes`,
        ],
      };
    } finally {
      await servers.close();
    }
  },
};
