import { rm } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { sha256Of } from './file-digest.ts';
import { readParts } from './read-parts.ts';
import type { FromReading, ToReading } from './reading-messages.ts';
import { spoolParts } from './spool-parts.ts';
import type { StatementPart } from './statement-parts.ts';
import { readUnchanged } from './statements-folder.ts';

/** The thread that reads large statement files into spools, several at a time, taking turns piece by piece. */
const port = parentPort;
if (port === null) throw new Error('this is the body of a thread');

class GivenUp extends Error {}

type Reading = { givenUp: boolean };
const readings = new Map<number, Reading>();
const send = (answer: FromReading): void => port.postMessage(answer);

port.on('message', (message: ToReading) => {
  if (message.type === 'read') void answer(message);
  else {
    const reading = readings.get(message.id);
    if (reading !== undefined) reading.givenUp = true;
  }
});

async function answer(asked: Extract<ToReading, { type: 'read' }>): Promise<void> {
  const { id, file, spoolPath } = asked;
  const reading: Reading = { givenUp: false };
  readings.set(id, reading);
  try {
    const read = await readUnchanged(file, async (source) => {
      const sha256 = await sha256Of(source);
      const parts = untilGivenUp(reading, readParts(source, asked.settings));
      return { sha256, ...(await spoolParts(parts, { ...asked, send: (part) => send({ id, type: 'part', part }) })) };
    });
    if (read === null) await rm(spoolPath, { force: true });
    send(read === null ? { id, type: 'pending' } : { id, type: 'read', ...read });
  } catch (error) {
    await rm(spoolPath, { force: true }).catch(() => undefined);
    if (error instanceof GivenUp) send({ id, type: 'pending' });
    else send({ id, type: 'failed', of: isOfSpool(error) ? 'spool' : 'file', reason: reasonOf(error) });
  } finally {
    readings.delete(id);
  }
}

async function* untilGivenUp(reading: Reading, parts: AsyncIterable<StatementPart>): AsyncGenerator<StatementPart> {
  for await (const part of parts) {
    if (reading.givenUp) throw new GivenUp();
    yield part;
  }
}

function isOfSpool(error: unknown): boolean {
  return codeOf(error) === 'ERR_SQLITE_ERROR';
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}

function reasonOf(error: unknown): string {
  if (isOfSpool(error)) return error instanceof Error ? error.message : '';
  return codeOf(error) ?? 'an unexpected error';
}
