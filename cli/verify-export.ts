import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { checkExport } from '../src/audit/check-export.ts';
import { count, refuse, say } from './say.ts';

/**
 * Checks a history export offline. Exit code 0: intact; 1: not intact, or not readable. `key`: the public key of the
 * service that the auditor has kept.
 */
export async function verifyExport(file: string, { key }: { key?: string }): Promise<void> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  try {
    const verdict = await checkExport(lines, key ?? null);
    if (!verdict.ok) return refuse(`${file} is not valid: ${verdict.fault.message}`);
    const { tenantId, events, seals, publicKey } = verdict;
    say(`${file}: ${count(events)} events of tenant ${tenantId}, ${count(seals)} seals, complete and in order`);
    say(
      key === undefined
        ? `signed by ${publicKey}; pass the expected key with --key to verify the signer`
        : 'signed by the given key',
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    refuse(`${file} cannot be read: ${(error as Error).message}`);
  }
}
