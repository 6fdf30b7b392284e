import { toUnits } from '../../shared/money.ts';
import { bookedRow, bookedRows, kindOf, type PlacedRow } from './booked-rows.ts';
import { countKinds, openBooking } from './booking.ts';
import type { ByteSource } from './byte-source.ts';
import type { FiledStatement, FileOutline, ReadFile } from './file-content.ts';
import { sha256Of } from './file-digest.ts';
import type { FileSettings } from './file-settings.ts';
import { type Filed, type Filing, fileParts, type RowDraft } from './filing.ts';
import type { UnpackedLimits } from './packed-file.ts';
import { readParts } from './read-parts.ts';
import { isNoted } from './statement.ts';
import { type RowPart, type StatementPart, settledRow } from './statement-parts.ts';

/** The largest unpacked size of a packed file that is read in memory. */
const SMALL_UNPACKED: UnpackedLimits = { bytes: 1024 * 1024, ratio: Number.POSITIVE_INFINITY };

type MemoryDraft = RowDraft & { readonly statement: (filed: Filed<MemoryDraft>) => FiledStatement };

function openMemoryDraft(): MemoryDraft {
  let parts: RowPart[] = [];
  let placed: PlacedRow[] = [];
  const kinds = countKinds();
  return {
    add: (part) => void parts.push(part),
    drop() {
      parts = [];
      placed = [];
    },
    async book(statement) {
      const booking = openBooking(kinds);
      const rows = parts.map(({ row, settled = true }) => (settled ? row : settledRow(row, statement)));
      parts = [];
      rows.sort((a, b) => compareText(a.day, b.day) || compareText(a.transactionDate, b.transactionDate));
      placed = rows.map((row) => booking.add(row));
      return booking.close(statement);
    },
    statement({ booked, summary, index, accountKey, format, notes, stated, runs }) {
      const { currency } = summary.account;
      const start = booked.start === null ? null : toUnits(booked.start);
      const rows = bookedRows((from, to) =>
        placed.slice(from, to).map((one) => {
          return bookedRow(one, { start, currency, alike: kinds.alike(one.row.day, kindOf(one.row)) });
        }),
      );
      return { index, accountKey, format, notes, stated, runs, rows };
    },
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The content of a file that is small enough for memory. Never throws for the content of the file. */
export async function readSmallFile(
  source: ByteSource,
  name: string,
  settings: FileSettings,
): Promise<Extract<ReadFile, { kind: 'read' }>> {
  const read = await readInMemory(readParts(source, settings, SMALL_UNPACKED), name, settings, await sha256Of(source));
  // Outlines are kept for a long time: a copy does not retain the file's text.
  return { ...read, outline: structuredClone(read.outline) };
}

export async function readInMemory(
  parts: AsyncIterable<StatementPart>,
  name: string,
  settings: Pick<FileSettings, 'balances'>,
  sha256: string | null,
): Promise<Extract<ReadFile, { kind: 'read' }>> {
  const statements: FiledStatement[] = [];
  const summaries: FileOutline['summaries'][number][] = [];
  const days: FileOutline['days'][number][] = [];
  const filing = await fileParts(parts, {
    name,
    settings,
    openDraft: openMemoryDraft,
    take(filed) {
      statements.push(filed.draft.statement(filed));
      summaries.push(filed.summary);
      days.push(filed.days);
    },
  });
  return {
    kind: 'read',
    outline: outlineOf({ sha256, summaries, days }, filing),
    content: { statementsOf: async (key) => statements.filter(({ accountKey }) => accountKey === key) },
    passing: false,
  };
}

export function outlineOf(
  { sha256, summaries, days }: Pick<FileOutline, 'sha256' | 'summaries' | 'days'>,
  { rows, faults }: Filing,
): FileOutline {
  return {
    sha256,
    summaries,
    days,
    rows,
    faults: faults.filter((fault) => !isNoted(fault)),
    notes: faults.filter(isNoted),
  };
}
