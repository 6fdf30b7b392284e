import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, startTestService, type TestService } from '../support/test-service.ts';

const IDLE_MS = 120_000;
const AT_ONCE_MS = 30_000;
/** For the look that follows the end of a replay. */
const LOOKED_AGAIN_MS = 1_000;

describe.each(['on', 'off'])('a replay with the background thread %s', (thread) => {
  let api: TestService;
  beforeAll(async () => {
    const timing = { idleMs: IDLE_MS };
    api = await startTestService({ environment: { BACKGROUND_THREAD: thread }, timing });
  });
  afterAll(() => api.stop());

  it('begins when it is asked for, not when its worker looks again', async () => {
    for (const nth of [1, 2]) {
      const asked = await api.call<{ id: string }>('POST', '/banks/audit/replays', {});
      const ended = await eventually(
        async () =>
          (await api.call<{ status: string }>('GET', `/banks/audit/replays/${asked.body.result.id}`)).body.result,
        ({ status }) => status === 'completed',
        AT_ONCE_MS,
      );
      expect([nth, ended.status]).toEqual([nth, 'completed']);
      await pause(LOOKED_AGAIN_MS);
    }
  });
});
