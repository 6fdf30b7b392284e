import { createHash } from 'node:crypto';
import type { RecordedEvent } from '../../src/events/event.ts';
import { eventCodec } from '../../src/events/registry.ts';
import { type Book, dayOf } from './bank-books.ts';
import { watchForLoops } from './busy-loops.ts';
import { NO_STORE_FAULTS, type StoreFaults } from './faulty-link.ts';
import { type Instance, launchInstance, type Role } from './instances.ts';
import { type Actor, createScheduler, type Scheduler } from './scheduler.ts';
import { sequences } from './seeded.ts';
import { type BankFaults, createSimulatedBank, NO_BANK_FAULTS } from './simulated-bank.ts';
import { eventsOn, type LogDisk, newLogDisk } from './simulated-log.ts';
import { newStoreDisk, type StoreDisk } from './simulated-read-store.ts';

const START = Date.parse('2026-03-02T09:00:00.000Z');
const TRACE_LINES = 5_000;
/** Characters; each call of the hash costs more than a line. */
const HASHED_AT_ONCE = 50_000;

/** Which faults a life has, and how often they strike. */
export type FaultPlan = {
  /** The role of each instance. */
  readonly instances: readonly Role[];
  /** Whether a second tenant lives in the same installation. */
  readonly secondTenant: boolean;
  readonly log: StoreFaults;
  readonly readStore: StoreFaults;
  readonly bank: BankFaults;
  /** Steps of calls between two crashes of an instance, on average; 0: none. */
  readonly stepsToCrash: number;
  readonly stepsToFreeze: number;
  /** Between two jumps of a clock, and between two losses of leases; 0: none. */
  readonly clockJumpsMs: number;
  readonly leaseLossesMs: number;
};

export type World = {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly randomOf: (name: string) => () => number;
  /** Acts for the simulation itself and for the bank. */
  readonly nature: Actor;
  readonly logDisk: LogDisk;
  readonly storeDisk: StoreDisk;
  readonly books: Map<string, Book>;
  readonly instances: () => readonly Instance[];
  readonly events: () => RecordedEvent[];
  readonly trace: (line: string) => void;
  /** Of all lines; ends the trace. */
  readonly traceHash: () => string;
  readonly lastLines: () => readonly string[];
  /** Calls that an instance made so often that it must have done so without end. */
  readonly busyLoops: ReadonlySet<string>;
  /** By kind. */
  readonly faultsInjected: Map<string, number>;
  readonly launch: (role: Role) => void;
  /** From now on nothing strikes; resolves when whoever is frozen has woken up. */
  readonly endFaults: () => Promise<void>;
  readonly newActor: (name: string) => Actor;
};

export function makeWorld(seed: number, plan: FaultPlan): World {
  const scheduler = createScheduler(START);
  const randomOf = sequences(seed);
  const chaos = randomOf('chaos');
  const logDisk = newLogDisk();
  const storeDisk = newStoreDisk();
  const books = new Map<string, Book>();
  const faultsInjected = new Map<string, number>();
  const lines: string[] = [];
  const traceHash = createHash('sha1');
  let unhashed = '';
  let made = 0;
  let isFaulty = true;
  let instances: Instance[] = [];

  function hashTrace(): void {
    traceHash.update(unhashed);
    unhashed = '';
  }

  function trace(line: string): void {
    const text = `${(scheduler.nowMs() - START).toFixed(3)} ${line}`;
    unhashed += text;
    if (unhashed.length > HASHED_AT_ONCE) hashTrace();
    lines.push(text);
    if (lines.length > 2 * TRACE_LINES) lines.splice(0, TRACE_LINES);
  }

  function onFault(kind: string, call: string, actor?: Actor): void {
    faultsInjected.set(kind, (faultsInjected.get(kind) ?? 0) + 1);
    trace(`FAULT ${kind}${actor === undefined ? '' : ` at ${actor.name}`}: ${call}`);
  }

  function newActor(name: string): Actor {
    return { name, alive: true, frozenUntilMs: 0, clockOffsetMs: 0, random: randomOf(name) };
  }
  const nature = newActor('nature');

  /** Around the mean, never the same. */
  const around = (mean: number): number => mean * (0.1 + 2 * chaos());
  const countdowns = new Map<Instance, { crash: number; freeze: number }>();

  const busyLoops = new Set<string>();
  const noteCall = watchForLoops((kind) => busyLoops.add(kind));

  function onStep(instance: Instance, call: string): void {
    noteCall(instance.actor.name, Math.floor(scheduler.nowMs() / 1_000), call);
    const left = countdowns.get(instance);
    if (!isFaulty || left === undefined) return;
    left.crash -= 1;
    left.freeze -= 1;
    if (left.crash === 0) {
      onFault('instance: crash', call, instance.actor);
      instance.crash(call);
    } else if (left.freeze === 0) {
      left.freeze = Math.ceil(around(plan.stepsToFreeze));
      onFault('instance: frozen', call, instance.actor);
      instance.actor.frozenUntilMs = scheduler.nowMs() + 500 + chaos() * 50_000;
    }
  }

  const bank = (bankCode: 'ids' | 'content') =>
    createSimulatedBank({
      bankCode,
      books,
      random: randomOf(`bank ${bankCode}`),
      faults: () => (isFaulty ? plan.bank : NO_BANK_FAULTS),
      onFault,
      today: () => dayOf(scheduler.nowMs()),
    });
  const banks = [bank('ids'), bank('content')];

  function launch(role: Role): void {
    made += 1;
    const instance = launchInstance({
      name: `instance-${made}`,
      role,
      scheduler,
      logDisk,
      storeDisk,
      banks,
      randomOf,
      faults: () =>
        isFaulty ? { log: plan.log, readStore: plan.readStore } : { log: NO_STORE_FAULTS, readStore: NO_STORE_FAULTS },
      onFault,
      onStep,
      onTrace: trace,
    });
    const never = 0;
    countdowns.set(instance, {
      crash: plan.stepsToCrash === 0 ? never : Math.ceil(around(plan.stepsToCrash)),
      freeze: plan.stepsToFreeze === 0 ? never : Math.ceil(around(plan.stepsToFreeze)),
    });
    instances.push(instance);
    void instance.crashed.then(() => {
      instances = instances.filter((one) => one !== instance);
      scheduler.after(300 + chaos() * 8_000, nature, () => launch(role));
    });
  }

  function repeatedly(meanMs: number, act: () => void): void {
    if (meanMs === 0) return;
    scheduler.after(around(meanMs), nature, () => {
      if (!isFaulty) return;
      act();
      repeatedly(meanMs, act);
    });
  }

  repeatedly(plan.clockJumpsMs, () => {
    const instance = instances[Math.floor(chaos() * instances.length)];
    if (instance === undefined) return;
    // No further than clocks of instances may differ.
    instance.actor.clockOffsetMs = (chaos() - 0.5) * 50_000;
    onFault('clock: jump', String(Math.round(instance.actor.clockOffsetMs)), instance.actor);
  });
  repeatedly(plan.leaseLossesMs, () => {
    for (const [name] of storeDisk.leases) {
      if (chaos() < 0.3) storeDisk.leases.delete(name);
    }
    onFault('leases: lost', 'some');
  });

  let seen = 0;
  logDisk.followers.add(() => {
    for (; seen < logDisk.events.length; seen += 1) {
      const { type, stream, revision } = logDisk.events[seen] as (typeof logDisk.events)[number];
      trace(`log ${seen + 1} ${type} ${stream} ${revision}`);
    }
  });

  return {
    seed,
    scheduler,
    randomOf,
    nature,
    logDisk,
    storeDisk,
    books,
    instances: () => instances,
    events: () => eventsOn(logDisk, eventCodec),
    trace,
    traceHash() {
      hashTrace();
      return traceHash.digest('hex');
    },
    lastLines: () => lines.slice(-TRACE_LINES),
    busyLoops,
    faultsInjected,
    launch,
    endFaults() {
      trace('faults end');
      isFaulty = false;
      for (const { actor } of instances) actor.clockOffsetMs = 0;
      const wakeMs = Math.max(...instances.map(({ actor }) => actor.frozenUntilMs), scheduler.nowMs());
      return scheduler.pause(wakeMs - scheduler.nowMs(), nature);
    },
    newActor,
  };
}
