import { compareAnswers } from '../fixtures/answers.ts';
import { apiRequest, twoServers } from '../fixtures/two-servers.ts';
import type { Row } from '../row.ts';

const FIRST_MS = Date.parse('2024-03-01T12:00:00.000Z');

export const list: Row = {
  name: 'list',
  title: 'a list of the 50 newest transactions before a moment, authenticated, 32 connections',
  baseline: 'the same find in the store behind a bare Hono route',
  aim: { kind: 'speed', atLeast: 0.8 },
  async measure({ quick, rounds }) {
    const count = quick ? 100 : 1_500;
    const servers = await twoServers({ transactions: quick ? 500 : 10_000, rules: 0 });
    try {
      const requests = Array.from({ length: count }, (_, nth) => {
        const to = new Date(FIRST_MS + ((nth * 7_919) % 36_000) * 1_000).toISOString();
        return apiRequest({ method: 'GET', path: `/banks/transactions?limit=50&to=${to}` });
      });
      return await compareAnswers(servers, rounds, requests);
    } finally {
      await servers.close();
    }
  },
};
