import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Whoever acts in a simulation: an instance of the service, a client, the bank. Timers and answers belong to the actor
 * that is active when they are made.
 */
export type Actor = {
  readonly name: string;
  /** False from its crash on: nothing of it runs any more. */
  alive: boolean;
  /** Simulated time until which nothing of it runs; what is due meanwhile runs then. */
  frozenUntilMs: number;
  /** How far its wall clock is ahead of the simulated time. */
  clockOffsetMs: number;
  /** Uniform in [0, 1), its own sequence. */
  readonly random: () => number;
};

type Task = {
  atMs: number;
  readonly order: number;
  readonly actor: Actor;
  readonly run: () => void;
  /** It runs also when its actor has crashed or is frozen. */
  readonly regardless: boolean;
  cancelled: boolean;
};

/** One thing after the other, in the order of the simulated time and, at the same time, of their making. */
export type Scheduler = {
  /** Simulated milliseconds since the epoch. They never go back; the clocks of actors may. */
  readonly nowMs: () => number;
  /** Returns a function that prevents the task, if it has not run. */
  readonly after: (delayMs: number, actor: Actor, run: () => void) => () => void;
  /** Next, whether or not the actor has crashed or is frozen by then. */
  readonly soon: (actor: Actor, run: () => void) => () => void;
  /** As {@link after}, as a promise; never settles for an actor that crashes meanwhile. */
  readonly pause: (delayMs: number, actor: Actor) => Promise<void>;
  /** Nothing runs before the promise settles: for what only the real event loop can do. */
  readonly hold: <T>(promise: Promise<T>) => Promise<T>;
  /**
   * Runs tasks until the promise settles.
   * @throws Error when nothing is left to run before that, or after `mostTasks`
   */
  readonly runUntil: <T>(promise: Promise<T>, mostTasks: number) => Promise<T>;
  readonly tasksRun: () => number;
};

type RunIn = (run: () => void) => void;

const active = new AsyncLocalStorage<{ readonly actor: Actor; readonly scheduler: Scheduler }>();

/** Who is active now, in which simulation; undefined outside of any. */
export function activeActor(): { readonly actor: Actor; readonly scheduler: Scheduler } | undefined {
  return active.getStore();
}

/** The real one, whatever replaces the global one later. */
const nextIteration = setImmediate;

export function createScheduler(startMs: number): Scheduler {
  const heap = createHeap();
  const contexts = new WeakMap<Actor, RunIn>();
  let nowMs = startMs;
  let made = 0;
  let ran = 0;
  let held = 0;

  function add(delayMs: number, actor: Actor, run: () => void, regardless: boolean): () => void {
    made += 1;
    const task = { atMs: nowMs + Math.max(0, delayMs), order: made, actor, run, regardless, cancelled: false };
    heap.push(task);
    return () => {
      task.cancelled = true;
    };
  }

  /** Made once for each actor, since each entry of a new context would copy it. */
  function contextOf(actor: Actor): RunIn {
    const known = contexts.get(actor) ?? active.run({ actor, scheduler }, () => AsyncLocalStorage.snapshot());
    contexts.set(actor, known);
    return known;
  }

  const scheduler: Scheduler = {
    nowMs: () => nowMs,
    after: (delayMs, actor, run) => add(delayMs, actor, run, false),
    soon: (actor, run) => add(0, actor, run, true),
    pause: (delayMs, actor) => new Promise((resolve) => scheduler.after(delayMs, actor, resolve)),
    async hold(promise) {
      held += 1;
      try {
        return await promise;
      } finally {
        held -= 1;
      }
    },
    runUntil(promise, mostTasks) {
      let settled = false;
      const mark = (): void => {
        settled = true;
      };
      promise.then(mark, mark);
      const most = ran + mostTasks;

      /** False when there is nothing to run before the real event loop has gone on. */
      function runNext(): boolean {
        if (held > 0) return false;
        for (;;) {
          const task = heap.pop();
          if (task === undefined) throw new Error('the simulation stands still');
          if (task.cancelled || !(task.actor.alive || task.regardless)) continue;
          if (task.actor.frozenUntilMs > task.atMs && !task.regardless) {
            task.atMs = task.actor.frozenUntilMs;
            heap.push(task);
            continue;
          }
          if (ran >= most) throw new Error(`the simulation did not end within ${mostTasks} tasks`);
          ran += 1;
          nowMs = Math.max(nowMs, task.atMs);
          contextOf(task.actor)(task.run);
          return true;
        }
      }

      return new Promise((resolve, reject) => {
        const step = (): void => {
          if (settled) {
            resolve(promise);
            return;
          }
          try {
            if (runNext()) afterMicrotasks(step);
            else nextIteration(step);
          } catch (error) {
            reject(error);
          }
        };
        afterMicrotasks(step);
      });
    },
    tasksRun: () => ran,
  };
  return scheduler;
}

const done = Promise.resolve();

/**
 * Calls back once all microtasks have run, those included that they make: only then Node runs what waits for a tick. It
 * is asked for in a microtask, since ticks that are asked for in a tick come before the microtasks.
 */
function afterMicrotasks(callback: () => void): void {
  void done.then(() => process.nextTick(callback));
}

function isBefore(one: Task, other: Task): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

function createHeap() {
  const tasks: Task[] = [];
  return {
    push(task: Task): void {
      let at = tasks.push(task) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        const above = tasks[parent] as Task;
        if (!isBefore(task, above)) break;
        tasks[at] = above;
        at = parent;
      }
      tasks[at] = task;
    },
    pop(): Task | undefined {
      const [first] = tasks;
      const last = tasks.pop();
      if (first === undefined || last === undefined || tasks.length === 0) return first;
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child >= tasks.length) break;
        const [left, right] = [tasks[child] as Task, tasks[child + 1]];
        if (right !== undefined && isBefore(right, left)) child += 1;
        const below = tasks[child] as Task;
        if (!isBefore(below, last)) break;
        tasks[at] = below;
        at = child;
      }
      tasks[at] = last;
      return first;
    },
  };
}
