import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkExport, type ExportVerdict } from '../../src/audit/check-export.ts';
import { rootFrom } from '../../src/audit/merkle.ts';
import { isSealSigned, type Seal } from '../../src/audit/seal.ts';
import { EventPacking } from '../../src/log/embedded/event-packing.ts';
import { chainDigest, type Row } from '../../src/log/embedded/file.ts';
import { history } from '../../src/projections/history.ts';
import { seals } from '../../src/projections/seals.ts';
import { firstOfHistory } from '../../src/queries/history.ts';
import { canonicalJson } from '../../src/shared/hash.ts';
import { seededRandom } from '../support/random.ts';
import {
  automationDone,
  connectDemoBank,
  eventually,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Integrity = {
  intact: boolean;
  publicKey: string;
  lastSeal: { ordinal: number; totalCount: number } | null;
  checked: { events: number };
  nextSeal: number | null;
  fault: { kind: string; message: string; eventId: string | null } | null;
};

let api: TestService;
const whole = { 'x-company-id': undefined };

beforeAll(async () => {
  api = await startTestService({ timing: { sealAfterMs: 50, sealIdleMs: 25 } });
  const connection = await connectDemoBank(api, { transactionsPerDay: 10 });
  for (const day of [1, 3, 5, 7]) {
    await syncAndWait(api, connection, { from: `2026-01-0${day}`, to: `2026-01-0${day + 2}` });
    await automationDone(api);
    await sealed();
  }
});
afterAll(() => api.stop());

const integrity = async (fromSeal = 1) =>
  (await api.call<Integrity>('GET', `/banks/audit/integrity?fromSeal=${fromSeal}`, undefined, whole)).body.result;

/** Once everything that is there by now has its seal; the seal itself waits for the next. */
async function sealed(): Promise<void> {
  const {
    httpServices: services,
    log,
    readModels,
  } = { ...api.service, readModels: api.service.httpServices.readModels };
  await services.waitFor(['history'], await log.head(), 100_000);
  await eventually(
    async () => {
      const filter = [{ field: 'tenantId', op: 'eq', value: api.tenantId }] as const;
      const [last] = await readModels
        .of(seals)
        .find({ filter, sort: [{ field: 'ordinal', direction: 'desc' }], limit: 1 });
      const after = {
        tenantId: api.tenantId,
        companies: null,
        direction: 'asc',
        after: last?.toPosition ?? '',
      } as const;
      const open = await firstOfHistory(await readModels.readable(history), after, 9);
      return last !== undefined && open.every(({ eventType }) => eventType === 'TenantSealed');
    },
    (done) => done,
  );
}

async function exported(): Promise<string> {
  const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret };
  const response = await fetch(`${api.service.url}/banks/audit/history/export`, { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  return response.text();
}

async function* each(lines: readonly string[]): AsyncIterable<string> {
  yield* lines;
}
const check = (lines: readonly string[], trusted: string | null = null): Promise<ExportVerdict> =>
  checkExport(each(lines), trusted);

describe('seals', () => {
  it('cover what happened, chained and signed, and match the log', async () => {
    let events = 0;
    let found = await integrity();
    for (;;) {
      expect(found).toMatchObject({ intact: true, fault: null });
      events = Math.max(events, found.checked.events);
      if (found.nextSeal === null) break;
      found = await integrity(found.nextSeal);
    }
    expect(events).toBeGreaterThan(20);
    expect(found.lastSeal?.ordinal).toBeGreaterThanOrEqual(4);
  });

  it('prove of each event that it is among them, by RFC 6962 alone', async () => {
    type Proof = {
      event: object;
      leafHash: string;
      leafIndex: number;
      treeSize: number;
      auditPath: string[];
      seal: Seal;
    };
    const { items } = (
      await api.call<{ items: { eventId: string; eventType: string }[] }>('GET', '/banks/audit/history?limit=200')
    ).body.result;
    for (const { eventId } of items.filter((_, index) => index % 40 === 20)) {
      const proof = (await api.call<Proof>('GET', `/banks/audit/proof?eventId=${eventId}`)).body.result;
      const leaf = hash('sha256', Buffer.concat([Buffer.of(0), Buffer.from(canonicalJson(proof.event))]), 'buffer');
      expect(leaf.toString('hex')).toBe(proof.leafHash);
      const path = proof.auditPath.map((node) => Buffer.from(node, 'hex'));
      expect(rootFrom(leaf, proof.leafIndex, proof.treeSize, path)?.toString('hex')).toBe(proof.seal.root);
      expect(isSealSigned(proof.seal)).toBe(true);
      expect(rootFrom(leaf, proof.leafIndex + 1, proof.treeSize, path)?.toString('hex')).not.toBe(proof.seal.root);
    }
    expect((await api.call('GET', '/banks/audit/proof?eventId=never')).body.code).toBe('ENTITY_NOT_FOUND');
  });
});

describe('an exported history', () => {
  it('is the same for the same position, and can be verified without the service', async () => {
    const [one, other] = [await exported(), await exported()];
    expect(one).toBe(other);
    const verdict = await check(one.trimEnd().split('\n'), (await integrity()).publicKey);
    expect(verdict).toMatchObject({ ok: true, tenantId: api.tenantId });
    const stranger = Buffer.alloc(32, 7).toString('base64');
    expect(await check(one.trimEnd().split('\n'), stranger)).toMatchObject({ ok: false, fault: { kind: 'seal' } });
  });

  it('reveals each of 1,000 single changes, and its place', async () => {
    const lines = (await exported()).trimEnd().split('\n');
    const random = seededRandom(4711);
    const pick = (from: number, to: number): number => from + Math.floor(random() * (to - from));
    const isSeal = (at: number): boolean => lines[at]?.includes('"type":"TenantSealed"') ?? false;
    const idOf = (at: number): string => (JSON.parse(lines[at] ?? '{}') as { id?: string }).id ?? '';
    const last = lines.length - 1;
    const named: Record<string, [number, number]> = {};
    for (let change = 0; change < 1_000; change += 1) {
      const kind = (['flip', 'delete', 'swap', 'insert', 'cut'] as const)[change % 5] ?? 'flip';
      const at = pick(1, last - 1);
      const tampered = [...lines];
      const inserted = lines[pick(1, last - 1)] ?? '';
      if (kind === 'flip') {
        const line = lines[at] ?? '';
        const byte = pick(0, line.length);
        tampered[at] =
          line.slice(0, byte) + String.fromCharCode(line.charCodeAt(byte) ^ (1 << pick(0, 6))) + line.slice(byte + 1);
      } else if (kind === 'delete') tampered.splice(at, 1);
      else if (kind === 'swap') {
        const with_ = pick(1, last - 1);
        [tampered[at], tampered[with_]] = [lines[with_] ?? '', lines[at] ?? ''];
      } else if (kind === 'insert') tampered.splice(at, 0, inserted);
      else tampered.splice(pick(1, last + 1));
      if (tampered.join('\n') === lines.join('\n')) continue;
      const verdict = await check(tampered);
      expect([change, kind, verdict.ok]).toEqual([change, kind, false]);
      if (verdict.ok || isSeal(at)) continue;
      const tally = named[kind] ?? [0, 0];
      const right =
        kind === 'flip'
          ? verdict.fault.index === at - 1
          : // Before its like, nobody can tell which of the two was put in.
            (inserted === lines[at] && verdict.fault.index === at) ||
            kind === 'swap' ||
            kind === 'cut' ||
            verdict.fault.index === at - 1 ||
            verdict.fault.eventId === idOf(at);
      named[kind] = [tally[0] + Number(right), tally[1] + 1];
    }
    for (const [kind, [right, all]] of Object.entries(named)) expect([kind, right]).toEqual([kind, all]);
  });
});

/** As one would who knows how the file is made: the event, and every digest after it. */
function alter(file: string, eventId: string): void {
  const db = new DatabaseSync(file);
  const packing = new EventPacking(db);
  const stored = db.prepare('SELECT * FROM events WHERE id = ?').get(eventId) as unknown as Row;
  const { data, metadata } = packing.unpacked(stored);
  const changed = data.replace(/"amount":"(\d)/, (_, digit: string) => `"amount":"${(Number(digit) % 9) + 1}`);
  expect(changed).not.toBe(data);
  const setTexts = db.prepare('UPDATE events SET data = ?, metadata = ?, body = NULL WHERE id = ?');
  setTexts.run(changed, metadata, eventId);
  let digest = '';
  const setDigest = db.prepare('UPDATE events SET digest = ? WHERE position = ?');
  for (const row of db.prepare('SELECT * FROM events ORDER BY position').all() as unknown as Row[]) {
    digest = chainDigest(digest, packing.unpacked(row));
    setDigest.run(digest, row.position);
  }
  db.prepare('UPDATE head SET digest = ?').run(digest);
  db.close();
}

describe('a log that was altered by hand', () => {
  it('is found, and the event named', async () => {
    if (process.env.WIRE !== undefined) return;
    const victim = await api.call<{ items: { eventId: string }[] }>(
      'GET',
      '/banks/audit/history?eventType=TransactionRecorded&limit=3',
    );
    const eventId = victim.body.result.items[2]?.eventId ?? '';
    await api.service.stop();
    alter(join(api.dataDir, 'log.sqlite'), eventId);
    const again = await startTestService({ dataDir: api.dataDir });
    try {
      const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret };
      let result: Integrity | undefined;
      // As many seals as one answer goes through, until the fault or the last one.
      for (let seal: number | null = 1; seal !== null && result?.fault == null; seal = result.nextSeal) {
        const answer = await fetch(`${again.service.url}/banks/audit/integrity?fromSeal=${seal}`, { headers });
        ({ result } = (await answer.json()) as { result: Integrity });
      }
      expect(result).toMatchObject({ intact: false, fault: { kind: 'changed', eventId } });
    } finally {
      await again.stop();
    }
  });
});
