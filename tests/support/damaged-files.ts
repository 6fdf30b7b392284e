import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

const PAGE = 8_192;
/** What SQLite keeps of its own in the first pages: without them the file would not open. */
const PAGES_KEPT = 12;

/** Overwrites the first bytes, which say that the file is a database. */
export function overwriteStart(file: string): void {
  overwrite(file, 0, 100);
}

/** Overwrites most pages of a closed database, as a bad disk may; its first pages stay, so that it opens. */
export function damagePages(file: string): void {
  const descriptor = openSync(file, 'r');
  const { size } = fstatSync(descriptor);
  closeSync(descriptor);
  if (size < 2 * PAGES_KEPT * PAGE) throw new Error(`${file} has only ${size} bytes`);
  overwrite(file, PAGES_KEPT * PAGE, size - PAGES_KEPT * PAGE);
}

function overwrite(file: string, from: number, bytes: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(bytes, 0xd5), 0, bytes, from);
  closeSync(descriptor);
}
