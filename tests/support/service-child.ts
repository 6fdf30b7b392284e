import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CHILD_ENVIRONMENT } from './child-environment.ts';
import { COMPANY, KEY, SECRET } from './test-service.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The service as a process of its own, which tests can kill. */
export type ServiceChild = {
  readonly url: string;
  /** Throws when the process is gone. */
  call<Result = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; position: string | null; result: Result }>;
  kill(signal?: NodeJS.Signals): Promise<number | null>;
  /** Sends a message, and resolves with the next one received; only a `main` written for a test answers. */
  ask(message: string): Promise<unknown>;
};

/**
 * Starts `src/main.ts`, or a script that starts it, and resolves once it listens; its output is part of the error when
 * it does not.
 * @param options the options of the Node process
 */
export async function startServiceChild(
  environment: Record<string, string>,
  { main = MAIN, options = [] }: { readonly main?: string; readonly options?: readonly string[] } = {},
): Promise<ServiceChild> {
  const child = spawn(process.execPath, [...options, main], {
    env: {
      ...CHILD_ENVIRONMENT,
      PORT: '0',
      BOOTSTRAP_COMPANY_ID: COMPANY,
      BOOTSTRAP_API_KEY: KEY,
      BOOTSTRAP_API_SECRET: SECRET,
      RATE_LIMIT_PER_MINUTE: '1000000',
      DEMO_BANK: 'on',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const url = await listeningAt(child);
  return {
    url,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          'x-api-key': KEY,
          'x-api-secret': SECRET,
          'x-company-id': COMPANY,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { result } = (await response.json()) as { result: never };
      return { status: response.status, position: response.headers.get('x-log-position'), result };
    },
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
      return child.exitCode;
    },
    async ask(message) {
      const answered = new AbortController();
      const { signal } = answered;
      const answer = once(child, 'message', { signal });
      const gone = once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`the service ended with ${code}`);
      });
      child.send(message);
      try {
        return (await Promise.race([answer, gone]))[0];
      } finally {
        answered.abort();
        await Promise.allSettled([answer, gone]);
      }
    },
  };
}

function listeningAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const url = /"url":"(http[^"]+)"/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output.slice(-2000)}`)));
  });
}
