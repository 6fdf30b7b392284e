import { compareAnswers } from '../fixtures/answers.ts';
import { apiRequest, twoServers } from '../fixtures/two-servers.ts';
import type { Row } from '../row.ts';

export const getOne: Row = {
  name: 'get-one',
  title: 'GET one transaction, authenticated, 32 connections',
  baseline: 'the same read of the store behind a Hono route with the same credentials, headers, limit and log line',
  aim: { kind: 'speed', atLeast: 0.8 },
  async measure({ quick, rounds }) {
    const count = quick ? 500 : 6_000;
    const servers = await twoServers({ transactions: quick ? 500 : 10_000, rules: 0 });
    try {
      const { transactionIds } = servers;
      const requests = Array.from({ length: count }, (_, nth) => {
        const id = transactionIds[(nth * 7_919) % transactionIds.length];
        return apiRequest({ method: 'GET', path: `/banks/transactions/${id}` });
      });
      return await compareAnswers(servers, rounds, requests);
    } finally {
      await servers.close();
    }
  },
};
