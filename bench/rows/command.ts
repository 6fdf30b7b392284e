import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../children/messages.ts';
import { installEmmett } from '../fixtures/emmett-packages.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { openLoad } from '../fixtures/load.ts';
import { apiRequest, CONNECTIONS, type TwoServers, twoServers } from '../fixtures/two-servers.ts';
import { interleave, perSecond, rate, ratios, side } from '../interleave.ts';
import type { Measured, Row, Setting } from '../row.ts';

export const command: Row = {
  name: 'command',
  title:
    'pause or resume a rule over HTTP, authenticated, 32 connections, the read models following in the same process',
  baseline:
    'read of the stream and append behind a Hono route with the same credentials, headers, limit and log line, ' +
    'nothing following',
  aim: { kind: 'speed', atLeast: 0.7 },
  measure: (setting) => measure(setting),
};

export const commandApi: Row = {
  name: 'command-api',
  title:
    'the same on an instance that only answers requests, as in production, with the read models in another process',
  baseline: command.baseline,
  aim: command.aim,
  measure: (setting) => measure(setting, 'api'),
};

export const commandEmmett: Row = {
  name: 'command-emmett',
  title: command.title,
  baseline:
    'the command handler of Emmett on SQLite behind a bare Hono route, without credentials, limits, log lines and ' +
    'read models',
  aim: { kind: 'speed', atLeast: 1.5 },
  async measure({ quick, rounds }) {
    const count = quick ? 100 : 2_000;
    // It takes minutes the first time, after which a server would have closed its idle connections.
    installEmmett();
    const servers = await twoServers({ transactions: 500, rules: count });
    const folder = makeFolder();
    writeFileSync(join(folder.path, 'rules.json'), JSON.stringify(servers.ruleIds));
    const child = await startChild<{ url: string }>('./emmett-child.ts', { DATA_DIR: folder.path });
    const emmett = await openLoad(child.ready.url, CONNECTIONS);
    try {
      const times = await interleave(rounds, {
        ours: side({ prepare: (round) => changes(servers, round), run: (all) => sendAll(servers.ours, all) }),
        emmett: side({ prepare: (round) => changes(servers, round), run: (all) => sendAll(emmett, all) }),
      });
      return {
        values: ratios(times.emmett, times.ours),
        perSecond: perSecond(count, times.ours),
        details: [
          `ours ${rate(count, times.ours)}, Emmett ${rate(count, times.emmett)}`,
          'both: WAL, synchronous FULL, synced before the answer, refused when the version is another',
        ],
      };
    } finally {
      emmett.close();
      await child.stop();
      await servers.close();
      folder.remove();
    }
  },
};

export const commandRoles: Row = {
  name: 'command-roles',
  title: command.title,
  baseline: 'the same on an instance that only answers requests, with the read models in another process',
  aim: { kind: 'speed', atLeast: 0.85 },
  async measure({ quick, rounds }) {
    const count = quick ? 100 : 2_000;
    const one = await twoServers({ transactions: 500, rules: count });
    const api = await twoServers({ transactions: 500, rules: count, role: 'api' });
    try {
      const times = await interleave(rounds, {
        one: side({ prepare: (round) => changes(one, round), run: (all) => sendAll(one.ours, all) }),
        api: side({ prepare: (round) => changes(api, round), run: (all) => sendAll(api.ours, all) }),
      });
      return {
        values: ratios(times.api, times.one),
        perSecond: perSecond(count, times.one),
        details: [`one process ${rate(count, times.one)}, api ${rate(count, times.api)}`],
      };
    } finally {
      await one.close();
      await api.close();
    }
  },
};

async function measure({ quick, rounds }: Setting, role?: 'api'): Promise<Measured> {
  const count = quick ? 100 : 2_000;
  const servers = await twoServers({ transactions: 500, rules: count, ...(role === undefined ? {} : { role }) });
  try {
    const times = await interleave(rounds, {
      ours: side({ prepare: (round) => changes(servers, round), run: (all) => sendAll(servers.ours, all) }),
      bare: side({ prepare: (round) => changes(servers, round), run: (all) => sendAll(servers.bare, all) }),
    });
    return {
      values: ratios(times.bare, times.ours),
      perSecond: perSecond(count, times.ours),
      details: [`ours ${rate(count, times.ours)}, baseline ${rate(count, times.bare)}`],
    };
  } finally {
    await servers.close();
  }
}

/** Every rule once per round, so that streams grow equally and stay short. */
function changes({ ruleIds }: TwoServers, round: number): Buffer[] {
  const change = round % 2 === 0 ? 'pause' : 'resume';
  const body = JSON.stringify({ version: round + 1 });
  return ruleIds.map((id) => apiRequest({ method: 'PATCH', path: `/banks/transaction-rules/${id}/${change}`, body }));
}

async function sendAll(load: TwoServers['ours'], requests: readonly Buffer[]): Promise<void> {
  await load.send(requests);
}
