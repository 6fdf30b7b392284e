import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY_BYTES = 32;
const GROUP_AND_OTHERS = 0o077;

/**
 * A key of 32 bytes that is created on the first start and kept in the data folder, readable by the owner only.
 * @throws Error when the file exists but holds no such key, since with another one everything encrypted so far would be
 * lost, or when others than its owner can access it
 */
export function ownKey(dataDir: string, name: string): Buffer {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, `${name}.key`);
  try {
    writeFileSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const { mode } = statSync(file);
  if (process.platform !== 'win32' && (mode & GROUP_AND_OTHERS) !== 0) {
    throw new Error(`${file} must be accessible to its owner only, but its mode is ${(mode & 0o777).toString(8)}`);
  }
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64');
  if (key.length !== KEY_BYTES) throw new Error(`${file} does not hold a key of ${KEY_BYTES} bytes`);
  return key;
}
