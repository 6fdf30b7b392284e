import { describe, expect, it } from 'vitest';
import { type Answer, connectDemoBank, syncAndWait, type TestService } from './test-service.ts';

const PATH = '/banks/accounts/one';
const WORK = `${PATH}/syncs/work`;

/** A service that is too busy to end setups and syncs while the request waits: they end when they are asked about. */
function busyService(endsAs: string) {
  const asked: string[] = [];
  const states = ['queued', 'running', endsAs];
  const results: Record<string, () => object> = {
    'POST /banks/accounts': () => ({ id: 'one' }),
    [`PUT ${PATH}/credentials`]: () => ({}),
    [`POST ${PATH}/setup`]: () => ({}),
    [`POST ${PATH}/sync`]: () => ({}),
    [`GET ${WORK}`]: () => ({ id: 'work', status: states.shift(), counts: {} }),
  };
  async function call(method: string, path: string): Promise<Answer> {
    asked.push(`${method} ${path}`);
    const result = results[`${method} ${path}`]?.();
    const isWork = method === 'POST' && path !== '/banks/accounts';
    const headers = new Headers(isWork ? { location: WORK } : {});
    return { status: isWork ? 202 : 200, headers, body: { status: true, result } };
  }
  const service = { log: { head: async () => null }, httpServices: { waitFor: async () => true } };
  return { api: { call, service } as unknown as TestService, asked };
}

describe('what tests wait for', () => {
  it('is a setup, also where it takes longer than the request may wait', async () => {
    const { api, asked } = busyService('completed');
    expect(await connectDemoBank(api)).toBe('one');
    expect(asked.slice(-3)).toEqual(Array(3).fill(`GET ${WORK}`));
  });

  it('is a sync, also where it takes longer than the request may wait', async () => {
    const { api, asked } = busyService('failed');
    expect(await syncAndWait(api, 'one')).toMatchObject({ id: 'work', status: 'failed' });
    expect(asked.slice(-3)).toEqual(Array(3).fill(`GET ${WORK}`));
  });
});
