import { apiRequest, type TwoServers, twoServers } from '../fixtures/two-servers.ts';
import { interleave, perSecond, rate, ratios, side } from '../interleave.ts';
import type { Measured, Row, Setting } from '../row.ts';

export const command: Row = {
  name: 'command',
  title:
    'pause or resume a rule over HTTP, authenticated, 32 connections, the read models following in the same process',
  baseline: 'read of the stream and append behind a bare Hono route, nothing following',
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
