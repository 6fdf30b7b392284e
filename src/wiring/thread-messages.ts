import type { Config } from '../config.ts';
import type { Standing } from '../projections/engine/projection-runner.ts';
import type { Timing } from '../reactors/reactor-services.ts';
import type { ReadModelChange } from './background.ts';
import type { BackgroundHealth } from './health.ts';
import type { StoreThreads } from './stores.ts';

/** What the background thread begins with. */
export type ThreadStart = {
  readonly config: Config;
  readonly tokenKey: Uint8Array;
  readonly encryptionKey: Uint8Array;
  readonly owner: string;
  readonly timing: Timing;
  readonly logLevel: string;
  readonly memory: StoreThreads['memory'];
};

/** Questions that the background thread answers, by their names. */
export type Questions = {
  readonly waitFor: {
    readonly asks: { readonly names: readonly string[]; readonly position: string; readonly timeoutMs: number };
    readonly gives: boolean;
  };
  readonly health: { readonly asks: object; readonly gives: BackgroundHealth };
  readonly stopReactors: { readonly asks: object; readonly gives: null };
  /** The last one: the thread ends after its answer. */
  readonly stop: { readonly asks: object; readonly gives: null };
};

export type Asked = {
  [Name in keyof Questions]: { readonly type: Name; readonly id: number } & Questions[Name]['asks'];
}[keyof Questions];

/** `begin`: every collection that both threads use is there. `wake`: the worker looks for work at once. */
export type ToBackground =
  | { readonly type: 'begin'; readonly start: ThreadStart }
  | { readonly type: 'wake'; readonly worker: string }
  | Asked;

export type FromBackground =
  | { readonly type: 'begun' }
  /** A line for the log of the process. */
  | { readonly type: 'line'; readonly line: string }
  | { readonly type: 'appended'; readonly types: readonly string[]; readonly durationMs: number }
  /** Those that differ from what was sent before. */
  | { readonly type: 'moved'; readonly standings: readonly Standing[] }
  | { readonly type: 'changed'; readonly change: ReadModelChange }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly message: string };
