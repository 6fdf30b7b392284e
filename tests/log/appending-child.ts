import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { codec, noted, stream } from './fixtures.ts';

// Appends until it is killed, and sends its parent the id of each event that the log has acknowledged.
const [file = '', tenant = ''] = process.argv.slice(2);
const log = openEmbeddedLog({ file, codec });

async function appendForEver(appender: number): Promise<never> {
  const name = stream(tenant);
  for (let revision = 0; ; revision += 1) {
    const event = noted(tenant, `${appender}: ${revision}`);
    await log.append({ stream: name, expected: revision === 0 ? 'no-stream' : revision - 1, events: [event] });
    process.send?.(event.id);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, appender) => appendForEver(appender)));
