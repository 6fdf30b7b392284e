import type { Link } from './link.ts';
import type { Actor, Scheduler } from './scheduler.ts';

/** What strikes the calls of a store, each as a probability per call. */
export type StoreFaults = {
  /** The call fails before it has any effect. */
  readonly refused: number;
  /** A write takes effect and is answered with a failure. */
  readonly answerLost: number;
  /** A write is answered with a failure and takes effect seconds later. */
  readonly delayed: number;
  /** A write takes effect, and once more later. */
  readonly repeated: number;
  /** A write of many things is interrupted halfway. */
  readonly interrupted: number;
  /** The call takes up to several seconds. */
  readonly slow: number;
};

export const NO_STORE_FAULTS: StoreFaults = {
  refused: 0,
  answerLost: 0,
  delayed: 0,
  repeated: 0,
  interrupted: 0,
  slow: 0,
};

export type FaultyLinkOptions = {
  readonly store: 'log' | 'read store';
  readonly scheduler: Scheduler;
  readonly actor: Actor;
  /** Uniform in [0, 1), for this link alone. */
  readonly random: () => number;
  /** At present: faults end before the simulation does. */
  readonly faults: () => StoreFaults;
  readonly unavailable: () => Error;
  /** Called for each fault that strikes. */
  readonly onFault: (kind: string, call: string) => void;
  /** Called before and after the effect of each call: here an instance can crash. */
  readonly onStep: (call: string) => void;
};

const USUAL_MS = 2;
const SLOW_MS = 6_000;
const LATER_MS = 20_000;
/** Between two batches of a subscription: what is appended meanwhile comes together. */
const BATCH_MS = 40;

/**
 * Carries out calls some time later, on behalf of an actor: a call of a crashed one never takes effect, that of a
 * frozen one when it wakes up. What the server has received takes effect whatever becomes of the caller.
 */
export function faultyLink(options: FaultyLinkOptions): Link {
  const { store, scheduler, actor, random, faults, unavailable, onFault, onStep } = options;

  function latencyMs(call: string): number {
    if (random() >= faults().slow) return random() * USUAL_MS;
    onFault(`${store}: slow`, call);
    return random() * SLOW_MS;
  }

  function fail(kind: string, call: string): never {
    onFault(`${store}: ${kind}`, call);
    throw unavailable();
  }

  /** On the side of the server: it happens whether or not the actor lives. */
  function later(effect: () => unknown): void {
    const server: Actor = { ...actor, alive: true, frozenUntilMs: 0 };
    scheduler.after(random() * LATER_MS, server, () => void effect());
  }

  /** When the call reaches the server. */
  function travelled(call: string): Promise<void> {
    return scheduler.pause(latencyMs(call), actor);
  }

  /** At the server: resolves unless the caller has crashed, and throws where the call is refused. */
  function arrive(call: string): Promise<never> | undefined {
    onStep(call);
    if (!actor.alive) return forever();
    if (random() < faults().refused) fail('refused', call);
    return undefined;
  }

  /** Undefined where the answer is there at once: often it takes its own time, so that others come in between. */
  function answered(call: string): Promise<void> | undefined {
    onStep(call);
    if (!actor.alive) return forever();
    return random() < 0.3 ? scheduler.pause(random() * USUAL_MS, actor) : undefined;
  }

  return {
    async read(call, effect) {
      await travelled(call);
      const crashed = arrive(call);
      if (crashed !== undefined) await crashed;
      const result = effect();
      const late = answered(call);
      if (late !== undefined) await late;
      return result;
    },
    async write(call, effect, part) {
      await travelled(call);
      const crashed = arrive(call);
      if (crashed !== undefined) await crashed;
      const { interrupted, delayed, answerLost, repeated } = faults();
      const drawn = random();
      if (part !== undefined && drawn < interrupted) {
        part();
        fail('interrupted', call);
      }
      if (drawn > 1 - delayed) {
        later(effect);
        fail('delayed', call);
      }
      const result = effect();
      if (random() < repeated) {
        onFault(`${store}: repeated`, call);
        later(effect);
      }
      if (random() < answerLost) fail('answer lost', call);
      const late = answered(call);
      if (late !== undefined) await late;
      return result;
    },
    rest: () => scheduler.pause(random() * BATCH_MS, actor),
  };
}

function forever(): Promise<never> {
  return new Promise(() => {});
}
