import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openParkings } from '../../src/projections/engine/parkings.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { openEmbeddedStores } from '../../src/readstore/embedded/two-files.ts';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { startTestService } from '../support/test-service.ts';

const BANK = join(import.meta.dirname, '../../cli/bank.ts');
const dataDir = mkdtempSync(join(tmpdir(), 'bank-projections-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function bank(...args: string[]): { code: number | null; output: string } {
  const env = { ...CHILD_ENVIRONMENT, DATA_DIR: dataDir };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BANK, ...args], { env, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

const poison = {
  eventId: 'e1',
  eventType: 'TransactionRecorded',
  stream: 'bankTransaction-t_1',
  position: '0000000000000007',
  message: 'cannot be folded',
};

describe('bank projections', () => {
  it('refuses where there is no read store', () => {
    expect(bank('projections')).toMatchObject({ code: 1, output: expect.stringContaining('does not exist') });
  });

  it('shows each position, and lets a halted one skip its event or try it again', async () => {
    const service = await startTestService({ dataDir });
    // Beside the running service, as an operator would.
    expect(bank('projections').output).toMatch(/^companies@\d+ +v\d+ +at \w+$/m);
    await service.stop();
    const readStore = openEmbeddedStores(dataDir);
    const parkings = await openParkings(readStore);

    await parkings.recordHalt(transactions, poison);
    expect(bank('projections').output).toContain('halted at 0000000000000007: cannot be folded');
    expect(bank('projections', 'resume', 'transactions')).toMatchObject({
      code: 0,
      output: 'transactions retries the event\n',
    });
    expect(await parkings.halts([transactions])).toEqual(new Map());

    await parkings.recordHalt(transactions, poison);
    expect(bank('projections', 'park', 'transactions').code).toBe(0);
    expect(await parkings.halts([transactions])).toEqual(new Map());
    expect(await parkings.isParked(transactions, 'e1')).toBe(true);
    expect(bank('projections').output).toMatch(/^transactions@\d+ .* 1 parked$/m);

    expect(bank('projections', 'park', 'transactions').output).toContain('is not halted at an event');
    expect(bank('projections', 'park', 'nothing').output).toContain('no projection is named nothing');
    await readStore.close();
  });
});
