import { parseArgs } from 'node:util';
import { startStandIn } from './stand-in.ts';
import { serverVersion } from './versions.ts';

// Prints `listening <port>` once it accepts connections; ends on SIGTERM or SIGINT.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    file: { type: 'string' },
    /** The server version to imitate. */
    version: { type: 'string' },
  },
});

const standIn = await startStandIn({
  port: Number(values.port),
  ...(values.file === undefined ? {} : { file: values.file }),
  ...(values.version === undefined ? {} : { version: serverVersion(values.version) }),
});
process.stdout.write(`listening ${standIn.port}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void standIn.stop().then(() => process.exit(0));
  });
}
