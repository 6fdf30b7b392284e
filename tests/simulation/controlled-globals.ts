import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { activeActor } from './scheduler.ts';

/**
 * Replaces what is not determined by the seed: timers, clocks and random numbers, as globals and in the modules of
 * Node. Where no simulation is active, each does what it did before. Has to be imported before any module that keeps
 * one of them; a process, once changed, stays so.
 */

type Timer = { cancel: () => void; unref: () => Timer; ref: () => Timer };

const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: globalThis.setImmediate,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  clearImmediate: globalThis.clearImmediate,
  dateNow: Date.now,
  performanceNow: performance.now.bind(performance),
  random: Math.random,
  pause: timersPromises.setTimeout,
  nextTurn: timersPromises.setImmediate,
  randomBytes: crypto.randomBytes,
  randomFillSync: crypto.randomFillSync,
  randomUUID: crypto.randomUUID,
  scrypt: crypto.scrypt,
};

function timer(cancel: () => void): Timer {
  const made: Timer = { cancel, unref: () => made, ref: () => made };
  return made;
}

function isOurs(given: unknown): given is Timer {
  return typeof given === 'object' && given !== null && 'cancel' in given;
}

type Callback = (...values: unknown[]) => void;

function setTimer(callback: Callback, delayMs = 0, ...values: unknown[]): unknown {
  const now = activeActor();
  if (now === undefined) return real.setTimeout(callback, delayMs, ...values);
  // As in Node, where a delay of less than 1 ms is 1 ms.
  return timer(now.scheduler.after(Math.max(1, delayMs), now.actor, () => callback(...values)));
}

function setRepeating(callback: Callback, delayMs = 0, ...values: unknown[]): unknown {
  const now = activeActor();
  if (now === undefined) return real.setInterval(callback, delayMs, ...values);
  const { actor, scheduler } = now;
  let cancel = (): void => {};
  let stopped = false;
  const next = (): void => {
    cancel = scheduler.after(Math.max(1, delayMs), actor, () => {
      callback(...values);
      if (!stopped) next();
    });
  };
  next();
  return timer(() => {
    stopped = true;
    cancel();
  });
}

function setSoon(callback: Callback, ...values: unknown[]): unknown {
  const now = activeActor();
  if (now === undefined) return real.setImmediate(callback, ...values);
  // Instances share the queue of yield-to-others.ts: a crashed or frozen one must not keep the others waiting in it.
  return timer(now.scheduler.soon(now.actor, () => callback(...values)));
}

function clear(given: unknown, realClear: (given: never) => void): void {
  if (isOurs(given)) given.cancel();
  else realClear(given as never);
}

/** One for all: nobody reads where it was made. */
const ABORTED = new DOMException('The operation was aborted', 'AbortError');

function pause(delayMs = 1, value?: unknown, options: { signal?: AbortSignal; ref?: boolean } = {}): Promise<unknown> {
  const now = activeActor();
  if (now === undefined) return real.pause(delayMs, value, options);
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(ABORTED);
    };
    const cancel = now.scheduler.after(Math.max(1, delayMs), now.actor, () => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

function nextTurn(value?: unknown): Promise<unknown> {
  if (activeActor() === undefined) return real.nextTurn(value);
  return new Promise((resolve) => setSoon(() => resolve(value)));
}

function fill(buffer: Uint8Array, random: () => number): void {
  for (let at = 0; at < buffer.length; at += 1) buffer[at] = Math.floor(random() * 256);
}

function randomBytes(size: number): Buffer {
  const now = activeActor();
  if (now === undefined) return real.randomBytes(size);
  const bytes = Buffer.alloc(size);
  fill(bytes, now.actor.random);
  return bytes;
}

/** Cheap, and the same each time: in a simulation passwords need no protection. */
function scrypt(...given: Parameters<typeof crypto.scrypt>): void {
  if (activeActor() === undefined) {
    real.scrypt(...given);
    return;
  }
  const [password, salt, length] = given;
  const done = given.at(-1) as unknown as (error: Error | null, derived: Buffer) => void;
  const key = crypto.hkdfSync('sha256', password as string, salt as Buffer, 'simulated', length);
  setSoon(() => done(null, Buffer.from(key)));
}

Object.assign(globalThis, {
  setTimeout: setTimer,
  setInterval: setRepeating,
  setImmediate: setSoon,
  clearTimeout: (given: unknown) => clear(given, real.clearTimeout),
  clearInterval: (given: unknown) => clear(given, real.clearInterval),
  clearImmediate: (given: unknown) => clear(given, real.clearImmediate),
});
Date.now = () => {
  const now = activeActor();
  return now === undefined ? real.dateNow() : now.scheduler.nowMs() + now.actor.clockOffsetMs;
};
performance.now = () => activeActor()?.scheduler.nowMs() ?? real.performanceNow();
Math.random = () => (activeActor()?.actor.random ?? real.random)();
Object.assign(timersPromises, { setTimeout: pause, setImmediate: nextTurn });
Object.assign(crypto, {
  randomBytes,
  randomFillSync(buffer: Uint8Array) {
    const now = activeActor();
    if (now === undefined) return real.randomFillSync(buffer);
    fill(buffer, now.actor.random);
    return buffer;
  },
  randomUUID() {
    if (activeActor() === undefined) return real.randomUUID();
    const hex = randomBytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  },
  scrypt,
});
syncBuiltinESMExports();
