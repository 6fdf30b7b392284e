import { parentPort } from 'node:worker_threads';
import type { ToReading } from '../../../src/providers/statement-files/reading-messages.ts';

// The thread that reads large files, which ends whenever it is to read one that is named for it.
parentPort?.on('message', (message: ToReading) => {
  if (message.type === 'read' && message.file.name.startsWith('crash')) process.exit(1);
});
await import('../../../src/providers/statement-files/reading-thread.ts');
