import { apiRequest, twoServers } from '../fixtures/two-servers.ts';
import { interleave, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const FIRST_MS = Date.parse('2024-03-01T12:00:00.000Z');

export const list: Row = {
  name: 'list',
  title: 'a list of 50 transactions from a moment back, authenticated, 32 connections',
  baseline: 'the same find in the store behind a bare Hono route',
  aim: { kind: 'speed', atLeast: 0.8 },
  async measure({ quick, rounds }) {
    const count = quick ? 100 : 1_500;
    const servers = await twoServers({ transactions: quick ? 500 : 10_000, rules: 0 });
    try {
      const { ours, bare } = servers;
      const requests = Array.from({ length: count }, (_, nth) => {
        const to = new Date(FIRST_MS + ((nth * 7_919) % 36_000) * 1_000).toISOString();
        return apiRequest({ method: 'GET', path: `/banks/transactions?limit=50&to=${to}` });
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
