import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { BankProvider } from '../../../src/providers/bank-provider.ts';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { camtNotification } from '../../support/report-texts.ts';
import { memoryLog } from '../../support/small-reactor-services.ts';
import { openStatementLedger } from '../../support/statement-ledger.ts';
import { type BankRow, camtStatement, mt940Statement } from '../../support/statement-texts.ts';
import { NOW_MS, sessionOf, unclaimed } from '../sessions.ts';

const OLD = new Date(NOW_MS - 3_600_000);

const row = (day: number, change: number, text = `row ${change}`): BankRow => ({
  day: `2025-03-0${day}`,
  change,
  text,
});
const rows = [row(3, 10), row(3, 20), row(3, 10, 'twin'), row(4, 5), row(4, -7), row(6, 10)];
const part = (from: number, to: number) => ({
  opening: rows.slice(0, from).reduce((sum, { change }) => sum + change, 100),
  rows: rows.slice(from, to),
});
const batch = { ...row(4, -7), reference: 'B', payments: [row(4, -3, 'one'), row(4, -4, 'two')] };
const files: Readonly<Record<string, string>> = {
  'all.sta': mt940Statement(part(0, 6)),
  'all.xml': camtStatement({ ...part(0, 6), rows: rows.map((one) => (one.change === -7 ? batch : one)) }),
  'day3.sta': mt940Statement(part(0, 3)),
  'interim3.sta': mt940Statement(part(0, 2)),
  'later3.xml': camtStatement(part(1, 3)),
  'day4.xml': camtStatement(part(3, 5)),
  'day6.sta': mt940Statement(part(5, 6)),
  'payments.xml': camtNotification([batch]),
  'changed.sta': mt940Statement(part(0, 3)).replace('?20row 20', '?20corrected'),
};

/** A provider that remembers what was recorded gives the same result as one that lists everything at each sync. */
export async function recordTheSame(numRuns: number): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'unchanged-'));
  const newProcess = () => createStatementFiles({ statementsDir: root, folderOwners: unclaimed });
  const { description } = newProcess();
  const deliver = async (name: string, content: string, folder: string): Promise<void> => {
    await writeFile(join(root, folder, name), content);
    await utimes(join(root, folder, name), OLD, OLD);
  };
  const step = fc.tuple(fc.constantFrom(...Object.keys(files)), fc.boolean());
  const log = memoryLog();
  let cases = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      cases += 1;
      const folder = `case-${cases}`;
      await mkdir(join(root, folder));
      const session = (tenantId: string) => () => sessionOf({ folder }, { environment: 'production', tenantId });
      const [warm, cold] = [`${folder}-warm`, `${folder}-cold`];
      let fresh = newProcess();
      const forgetful: BankProvider = {
        description,
        discoverAccounts(asked) {
          fresh = newProcess();
          return fresh.discoverAccounts(asked);
        },
        fetchPage: (asked, request) => fresh.fetchPage(asked, request),
      };
      const ledgers = [
        await openStatementLedger(log, newProcess(), session(warm), warm),
        await openStatementLedger(log, forgetful, session(cold), cold),
      ];
      const present = new Set<string>();
      for (const [name, sync] of steps) {
        if (present.delete(name)) await rm(join(root, folder, name));
        else {
          await deliver(name, files[name] ?? '', folder);
          present.add(name);
        }
        if (!sync) continue;
        for (const ledger of ledgers) await ledger.sync();
      }
      for (const ledger of ledgers) await ledger.sync();
      const [one, other] = ledgers.map((ledger) => ({
        rows: ledger
          .rows()
          .map(({ providerStamp, description, balance }) => `${providerStamp} ${description} ${balance}`)
          .sort(),
        days: ledger.days().map(({ day, count, net, stated }) => ({
          ...{ day, count, net },
          stated: stated.map(({ fromDay, opening, closing }) => `${fromDay} ${opening} ${closing}`),
        })),
      }));
      expect(one).toEqual(other);
    }),
    { numRuns },
  );
  await log.close();
  await rm(root, { recursive: true });
}
