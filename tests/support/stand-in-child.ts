import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { defaultVersion, type ServerVersion } from './eventstore-stand-in/versions.ts';

const MAIN = fileURLToPath(new URL('./eventstore-stand-in/main.ts', import.meta.url));

/**
 * The stand-in as a process of its own, in memory, so that it does not share an event loop with the service under test.
 */
export async function startStandInChild(
  version: ServerVersion = defaultVersion(),
): Promise<{ connectionString: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--version', version], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^listening (\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    return {
      connectionString: `esdb://127.0.0.1:${port}?tls=false`,
      async stop() {
        const gone = once(child, 'exit');
        child.kill();
        await gone;
      },
    };
  }
  throw new Error('the stand-in ended before it listened');
}
