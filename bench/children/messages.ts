import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import manifest from '../../package.json' with { type: 'json' };

/** A process of the bench that listens and answers one question over Node's message channel. */
export type Child<Ready, Answer> = {
  readonly ready: Ready;
  readonly ask: () => Promise<Answer>;
  /** Peak of the memory it held, in megabytes of 1,000,000 bytes. */
  readonly peakMb: () => Promise<number>;
  readonly stop: () => Promise<void>;
  /** Kills it, as in a power failure. */
  readonly kill: () => Promise<void>;
};

const STOPPED_WITHIN_MS = 20_000;

type FromParent = 'ask' | 'peak' | 'stop';
type ToParent = { readonly kind: 'ready' | FromParent; readonly value: unknown };

/** The side of the child. `stop` releases everything; then the process ends. */
export function answerParent(options: {
  ready: unknown;
  answer?: () => Promise<unknown>;
  stop: () => Promise<void>;
}): void {
  const send = (message: ToParent): void => {
    process.send?.(message);
  };
  process.on('message', async (kind: FromParent) => {
    if (kind === 'ask') send({ kind, value: await options.answer?.() });
    // maxRSS is in units of 1,024 bytes.
    if (kind === 'peak') send({ kind, value: (process.resourceUsage().maxRSS * 1024) / 1e6 });
    if (kind === 'stop') {
      await options.stop();
      send({ kind, value: null });
      process.disconnect();
    }
  });
  process.once('disconnect', () => process.exit(0));
  send({ kind: 'ready', value: options.ready });
}

/**
 * Starts a file of this folder with the Node options of `npm start`, and resolves once it reports that it is ready.
 * BENCH_CHILD_OPTIONS adds options, such as `--cpu-prof`.
 */
export async function startChild<Ready, Answer = never>(
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<Child<Ready, Answer>> {
  const child = fork(new URL(file, import.meta.url), {
    execArgv: [...startOptions(), ...words(process.env.BENCH_CHILD_OPTIONS ?? '')],
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ask = (kind: FromParent): Promise<unknown> => {
    const answer = next(child, kind);
    child.send(kind);
    return answer;
  };
  const ready = (await next(child, 'ready')) as Ready;
  return {
    ready,
    ask: () => ask('ask') as Promise<Answer>,
    peakMb: () => ask('peak') as Promise<number>,
    async stop() {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      // A child that does not stop, with requests open after a failure, must not prevent the bench from reporting the
      // failure.
      const late = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
      child.send('stop' satisfies FromParent);
      await gone;
      clearTimeout(late);
    },
    async kill() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** The options between `node` and the file in the script `start`. */
function startOptions(): string[] {
  return words(manifest.scripts.start).filter((word) => word.startsWith('--'));
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function next(child: ChildProcess, kind: ToParent['kind']): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: ToParent): void => {
      if (message.kind !== kind) return;
      forget();
      resolve(message.value);
    };
    const onExit = (code: number | null): void => {
      forget();
      reject(new Error(`a process of the bench ended with ${code}`));
    };
    const forget = (): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}
