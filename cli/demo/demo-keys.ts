import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { newPublicKey, newSecret } from '../../src/identity/secrets.ts';

/**
 * The values for the first start of the demo, so that a later start can print them again: the service itself stores
 * only hashes.
 */
export type DemoKeys = {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly adminEmail: string;
  readonly adminPassword: string;
};

const schema = z.strictObject({
  apiKey: z.string(),
  apiSecret: z.string(),
  adminEmail: z.string(),
  adminPassword: z.string(),
});

function fileOf(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

/** Undefined when the folder has no such file. @throws Error when the file is not one of the demo */
export function readDemoKeys(dataDir: string): DemoKeys | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(dataDir), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${fileOf(dataDir)} does not hold the keys of a demo`);
  }
}

/** Written before the service first starts, so that after an interrupted start the next one uses the same keys. */
export function makeDemoKeys(dataDir: string): DemoKeys {
  const keys: DemoKeys = {
    apiKey: newPublicKey('bck_'),
    apiSecret: newSecret('bcs_'),
    adminEmail: 'admin@demo.example',
    adminPassword: randomBytes(18).toString('base64url'),
  };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(dataDir), `${JSON.stringify(keys, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  return keys;
}

export function forgetDemoKeys(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}
