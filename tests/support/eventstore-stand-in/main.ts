import { parseArgs } from 'node:util';
import { startStandIn } from './stand-in.ts';

// Prints `listening <port>` once it takes connections; ends on SIGTERM or SIGINT.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    file: { type: 'string' },
    /** Behaves as servers before 22.6 do. */
    old: { type: 'boolean', default: false },
  },
});

const standIn = await startStandIn({
  port: Number(values.port),
  ...(values.file === undefined ? {} : { file: values.file }),
  manner: { tellsStreamPositions: !values.old, tellsCaughtUp: !values.old },
});
process.stdout.write(`listening ${standIn.port}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void standIn.stop().then(() => process.exit(0));
  });
}
