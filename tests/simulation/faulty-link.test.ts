import { describe, expect, it } from 'vitest';
import { type FaultyLinkOptions, faultyLink, NO_STORE_FAULTS, type StoreFaults } from './faulty-link.ts';
import { type Actor, createScheduler } from './scheduler.ts';

const unavailable = (): Error => new Error('unavailable');

/** An instance, a client that outlives it, and a link that steps are counted on. */
function world(faults: Partial<StoreFaults> = {}, onStep: FaultyLinkOptions['onStep'] = () => {}) {
  const scheduler = createScheduler(0);
  const newActor = (name: string): Actor => {
    return { name, alive: true, frozenUntilMs: 0, clockOffsetMs: 0, random: () => 0.5 };
  };
  const actor = newActor('instance');
  const nature = newActor('nature');
  const struck: string[] = [];
  const link = faultyLink({
    store: 'log',
    scheduler,
    actor,
    random: () => 0.5,
    faults: () => ({ ...NO_STORE_FAULTS, ...faults }),
    unavailable,
    onFault: (kind) => struck.push(kind),
    onStep,
  });
  const later = (ms: number) => scheduler.runUntil(scheduler.pause(ms, nature), 1_000);
  return { scheduler, actor, link, struck, later };
}

/** What became of a write, and how often it took effect. */
async function written({ link, later }: ReturnType<typeof world>) {
  let effects = 0;
  let outcome = 'open';
  link
    .write(
      'write',
      () => {
        effects += 1;
        return 'answer';
      },
      () => undefined,
    )
    .then(
      (answer) => {
        outcome = answer;
      },
      () => {
        outcome = 'failed';
      },
    );
  await later(1_000);
  const soon = { effects, outcome };
  await later(60_000);
  return { soon, effects, outcome };
}

describe('a write over a link with faults', () => {
  it.each<[keyof StoreFaults, { outcome: string; soon: number; effects: number }]>([
    ['refused', { outcome: 'failed', soon: 0, effects: 0 }],
    ['answerLost', { outcome: 'failed', soon: 1, effects: 1 }],
    ['delayed', { outcome: 'failed', soon: 0, effects: 1 }],
    ['repeated', { outcome: 'answer', soon: 1, effects: 2 }],
    ['interrupted', { outcome: 'failed', soon: 0, effects: 0 }],
  ])('that is %s', async (fault, expected) => {
    const where = world({ [fault]: 1 });
    const { soon, effects, outcome } = await written(where);
    expect({ outcome, soon: soon.effects, effects }).toEqual(expected);
    expect(where.struck).toHaveLength(1);
  });

  it('takes effect once, and is answered, where nothing strikes', async () => {
    expect(await written(world())).toMatchObject({ outcome: 'answer', effects: 1 });
  });

  it.each([
    ['before it takes effect', 1, 0],
    ['after it took effect', 2, 1],
  ])('is never answered to an instance that crashes %s', async (_, step, effects) => {
    let steps = 0;
    const where = world({}, () => {
      steps += 1;
      if (steps === step) where.actor.alive = false;
    });
    expect(await written(where)).toMatchObject({ outcome: 'open', effects });
  });

  it('of a frozen instance takes effect when it wakes up', async () => {
    const where = world();
    where.actor.frozenUntilMs = 30_000;
    expect(await written(where)).toEqual({ soon: { effects: 0, outcome: 'open' }, effects: 1, outcome: 'answer' });
  });
});

describe('the scheduler', () => {
  it('runs what is due in the order of its time, and then of its making', async () => {
    const { scheduler, actor, later } = world();
    const ran: string[] = [];
    scheduler.after(5, actor, () => ran.push('late'));
    scheduler.after(1, actor, () => ran.push('early'));
    scheduler.after(1, actor, () => ran.push('early too'));
    const cancel = scheduler.after(2, actor, () => ran.push('cancelled'));
    cancel();
    await later(10);
    expect(ran).toEqual(['early', 'early too', 'late']);
  });

  it('runs nothing of an instance that has crashed', async () => {
    const { scheduler, actor, later } = world();
    const ran: string[] = [];
    scheduler.after(5, actor, () => ran.push('timer'));
    scheduler.soon(actor, () => ran.push('shared queue'));
    actor.alive = false;
    await later(10);
    expect(ran).toEqual(['shared queue']);
  });

  it('fails where nothing is left to run, or too much', async () => {
    const { scheduler, actor } = world();
    await expect(scheduler.runUntil(new Promise(() => {}), 10)).rejects.toThrow('stands still');
    const again = (): void => void scheduler.after(1, actor, again);
    again();
    await expect(scheduler.runUntil(new Promise(() => {}), 10)).rejects.toThrow('did not end within 10 tasks');
  });
});
