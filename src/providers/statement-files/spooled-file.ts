import type { DatabaseSync } from 'node:sqlite';
import { keepHeapSmall } from '../../shared/heap-keeper.ts';
import { ProviderError } from '../bank-provider.ts';
import { type BookedRow, bookedRow, bookedRows, kindOf } from './booked-rows.ts';
import type { FileContent, FiledStatement } from './file-content.ts';
import { DRAFT_ROWS, type KeptStatement, openSpoolFile, placedRow } from './spool-tables.ts';

/** A large file in its spool: its statements, and their rows a page at a time. */
export type SpooledFile = FileContent & { readonly close: () => void };

/** The first query opens the file. */
export function openSpooledFile(path: string): SpooledFile {
  let open: Tables | null = null;
  let closed = false;
  /** An account's statements are queried once per page. */
  let last: { readonly accountKey: string; readonly statements: readonly FiledStatement[] } | null = null;

  function tables(): Tables {
    if (closed) {
      throw new ProviderError('transient', 'STATEMENT_SPOOL_UNAVAILABLE', 'the file has to be read again');
    }
    open ??= tablesOf(openSpoolFile(path));
    return open;
  }

  function part(kept: KeptStatement, from: number, to: number): BookedRow[] {
    // What is made of a page of rows leaves megabytes of garbage, and a large file has thousands of pages.
    keepHeapSmall();
    const { rows, twins } = tables();
    const { draft, currency, hasTwins } = kept;
    const start = kept.start === null ? null : BigInt(kept.start);
    const counts = new Map<string, number>();
    const alike = (day: string, kind: string): number => {
      const key = `${day} ${kind}`;
      const known = counts.get(key) ?? (hasTwins ? Number(twins.get(draft, day, kind)?.count ?? 1) : 1);
      counts.set(key, known);
      return known;
    };
    return rows.all(draft * DRAFT_ROWS + from, draft * DRAFT_ROWS + to).map((found) => {
      const placed = placedRow(found);
      return bookedRow(placed, { start, currency, alike: alike(placed.row.day, kindOf(placed.row)) });
    });
  }

  return {
    async statementsOf(accountKey) {
      if (last?.accountKey !== accountKey) {
        const found = tables().statements.all(accountKey);
        const statements = found.map(({ body }) => {
          const kept: KeptStatement = JSON.parse(String(body));
          return { ...kept, rows: bookedRows((from, to) => part(kept, from, to)) };
        });
        last = { accountKey, statements };
      }
      return last.statements;
    },
    close() {
      closed = true;
      open?.database.close();
      open = null;
    },
  };
}

function tablesOf(database: DatabaseSync) {
  return {
    database,
    statements: database.prepare('SELECT body FROM statements WHERE account = ? ORDER BY number'),
    rows: database.prepare('SELECT moved, nth, body FROM rows WHERE id >= ? AND id < ? ORDER BY id'),
    twins: database.prepare('SELECT count FROM twins WHERE draft = ? AND day = ? AND kind = ?'),
  };
}

type Tables = ReturnType<typeof tablesOf>;
