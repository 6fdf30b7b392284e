import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/http/core/app.ts';
import type { StreamRange } from '../../src/log/log.ts';
import { systemTimer } from '../../src/shared/timer.ts';
import { HELD_MS } from '../../src/traffic/held-refusals.ts';
import { COMPANY, startTestService, type TestService } from '../support/test-service.ts';

const CHANGES = 20;

describe('questions about all events of an entity', () => {
  let api: TestService;
  let path: string;
  beforeAll(async () => {
    api = await startTestService({
      environment: { TENANT_LIMIT_COSTLY_REQUESTS: '1' },
      startTimer: (ms, onEnd) => systemTimer(ms === HELD_MS ? 0 : ms, onEnd),
    });
    const made = await api.call<{ id: string }>('POST', '/banks/transaction-rules', {
      name: 'Often changed',
      conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
      actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: '1' } }],
    });
    const { id } = made.body.result;
    for (let version = 1; version <= CHANGES; version += 1) {
      await api.call('PATCH', `/banks/transaction-rules/${id}`, { version, description: `Change ${version}` });
    }
    path = `/banks/audit/history/rule/${id}`;
  });
  afterAll(() => api.stop());

  /** The service with a log that answers a read of a stream only when it is let. */
  function heldReads() {
    const { httpServices } = api.service;
    const waiting: (() => void)[] = [];
    let reads = 0;
    let lets = false;
    const log = new Proxy(httpServices.log, {
      get: (target, name) => {
        if (name !== 'readStreamPositions') return Reflect.get(target, name, target);
        return async (stream: string, range: StreamRange) => {
          if (stream.startsWith('transactionRule-')) {
            reads += 1;
            if (!lets) await new Promise<void>((resolve) => waiting.push(resolve));
          }
          return target.readStreamPositions(stream, range);
        };
      },
    });
    let pieces = 0;
    const { pace } = httpServices.costlyRequests;
    const counted: typeof pace = (tenantId, work) => {
      pieces += 1;
      return pace(tenantId, work);
    };
    const app = createApp({ ...httpServices, log, costlyRequests: { ...httpServices.costlyRequests, pace: counted } });
    const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': COMPANY };
    return {
      ask: (address: string, signal?: AbortSignal) =>
        Promise.resolve(app.request(address, { headers, ...(signal === undefined ? {} : { signal }) })),
      reads: () => reads,
      /** Parts that were read in turn with other tenants. */
      pieces: () => pieces,
      /** Lets so many reads through, one after the other. */
      async letThrough(count: number) {
        for (let nth = 0; nth < count; nth += 1) {
          await expect.poll(() => waiting.length).toBeGreaterThan(0);
          waiting.shift()?.();
        }
      },
      /** Lets every read through from now on. */
      letAllThrough() {
        lets = true;
        for (const next of waiting.splice(0)) next();
      },
    };
  }

  it.each([
    ['its history', ''],
    ['as of a position', '/as-of?position=9999999999999999'],
    ['its difference', '/diff?from=0000000000000000&to=9999999999999999'],
  ])('are costly: of one tenant only so many are answered at once: %s', async (_, what) => {
    const { ask, letThrough, letAllThrough } = heldReads();
    const first = ask(`${path}${what}`);
    await letThrough(1);
    const second = ask(`${path}${what}`);
    let answered = 0;
    for (const one of [first, second]) void one.finally(() => (answered += 1));
    await expect.poll(() => answered).toBe(1);
    const refused = await second;
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([429, 'TENANT_BUSY']);
    letAllThrough();
    expect((await first).status).toBe(200);
  });

  it('are read in turn with other tenants, a part at a time', async () => {
    const { ask, letAllThrough, pieces } = heldReads();
    letAllThrough();
    const answer = await ask(`${path}?limit=200`);
    const { result } = (await answer.json()) as { result: { items: unknown[] } };
    expect(result.items).toHaveLength(1 + CHANGES);
    expect(pieces()).toBeGreaterThanOrEqual(CHANGES / 4);
  });

  it('end when nobody waits for the answer any more', async () => {
    const { ask, letThrough, letAllThrough, reads } = heldReads();
    const client = new AbortController();
    const asked = ask(`${path}?limit=200`, client.signal);
    // The first event, and the first part.
    await letThrough(2);
    client.abort();
    letAllThrough();
    await asked;
    expect(reads()).toBeLessThan(CHANGES / 4);
  });
});
