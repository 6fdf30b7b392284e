import { apiRequest, twoServers } from '../fixtures/two-servers.ts';
import { interleave, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

export const getOne: Row = {
  name: 'get-one',
  title: 'GET one transaction, authenticated, 32 connections',
  baseline: 'the same read of the store behind a bare Hono route',
  aim: { kind: 'speed', atLeast: 0.8 },
  async measure({ quick, rounds }) {
    const count = quick ? 500 : 6_000;
    const servers = await twoServers({ transactions: quick ? 500 : 10_000, rules: 0 });
    try {
      const { ours, bare, transactionIds } = servers;
      const requests = Array.from({ length: count }, (_, nth) => {
        const id = transactionIds[(nth * 7_919) % transactionIds.length];
        return apiRequest({ method: 'GET', path: `/banks/transactions/${id}` });
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
