import { compareAnswers } from '../fixtures/answers.ts';
import { openLoad } from '../fixtures/load.ts';
import { apiRequest, twoServers } from '../fixtures/two-servers.ts';
import { interleave, perSecond, rates, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const FIRST_MS = Date.parse('2024-03-01T12:00:00.000Z');
const AT_ONCE = 64;

export const list64: Row = {
  name: 'list-64',
  title: 'lists of the 50 newest transactions before a moment a second, authenticated, 64 connections',
  baseline: 'none: answers a second',
  aim: { kind: 'above', limit: 2_000, unit: 'lists/s' },
  async measure({ quick, rounds }) {
    const requests = lists(quick ? 128 : 3_000);
    const servers = await twoServers({ transactions: quick ? 500 : 10_000, rules: 0 });
    const load = await openLoad(servers.url, AT_ONCE);
    try {
      const send = async (): Promise<void> => {
        await load.send(requests);
      };
      const times = await interleave(rounds, { ours: side({ run: send }) });
      const count = requests.length;
      return { values: rates(count, times.ours), perSecond: perSecond(count, times.ours), details: [] };
    } finally {
      load.close();
      await servers.close();
    }
  },
};

export const list: Row = {
  name: 'list',
  title: 'a list of the 50 newest transactions before a moment, authenticated, 32 connections',
  baseline: 'the same find in the store behind a Hono route with the same credentials, headers, limit and log line',
  aim: { kind: 'speed', atLeast: 0.8 },
  async measure({ quick, rounds }) {
    const count = quick ? 100 : 1_500;
    const servers = await twoServers({ transactions: quick ? 500 : 10_000, rules: 0 });
    try {
      return await compareAnswers(servers, rounds, lists(count));
    } finally {
      await servers.close();
    }
  },
};

function lists(count: number): Buffer[] {
  return Array.from({ length: count }, (_, nth) => {
    const to = new Date(FIRST_MS + ((nth * 7_919) % 36_000) * 1_000).toISOString();
    return apiRequest({ method: 'GET', path: `/banks/transactions?limit=50&to=${to}` });
  });
}
