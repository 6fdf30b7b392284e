import type { DatabaseSync } from 'node:sqlite';
import type { Checkpoint, Lease } from '../read-store.ts';
import { acquireLeases, releaseLeases } from './lease-table.ts';
import { buildIndexes, buildTable, dropTable } from './schema-changes.ts';
import type { Statements } from './statements.ts';
import type { DeclaredIndex, TableLayout } from './table-layout.ts';
import { type Row, TableWriter } from './table-writer.ts';

type CheckpointMove = {
  readonly name: string;
  readonly expected: string | null;
  readonly position: string;
  readonly fence: number;
};

/** Every change of the file, as data: it may be executed in this thread or in another. */
export type WriteCommands = {
  readonly put: {
    readonly of: { readonly layout: TableLayout; readonly rows: readonly Row[] };
    readonly gives: number;
  };
  readonly putIf: {
    readonly of: { readonly layout: TableLayout; readonly row: Row; readonly expected: string | null };
    readonly gives: boolean;
  };
  readonly delete: {
    readonly of: { readonly layout: TableLayout; readonly ids: readonly string[] };
    readonly gives: number;
  };
  /** `ahead`: the documents only, as a part of what a later commit completes. */
  readonly commit: {
    readonly of: {
      readonly layout: TableLayout;
      readonly rows: readonly Row[];
      readonly move: CheckpointMove;
      readonly ahead: boolean;
    };
    readonly gives: 'committed' | 'fenced';
  };
  readonly deleteCheckpoint: { readonly of: { readonly name: string }; readonly gives: undefined };
  readonly acquire: {
    readonly of: {
      readonly names: readonly string[];
      readonly owner: string;
      readonly ttlMs: number;
      readonly nowMs: number;
    };
    readonly gives: Lease[];
  };
  readonly release: {
    readonly of: { readonly names: readonly string[]; readonly owner: string };
    readonly gives: undefined;
  };
  readonly buildTable: {
    readonly of: { readonly name: string; readonly indexes: readonly DeclaredIndex[]; readonly isNew: boolean };
    readonly gives: undefined;
  };
  readonly dropTable: { readonly of: { readonly layout: TableLayout }; readonly gives: undefined };
  readonly buildIndexes: {
    readonly of: { readonly name: string; readonly indexes: readonly DeclaredIndex[] };
    readonly gives: undefined;
  };
};

export type WriteKind = keyof WriteCommands;
export type WriteCommand = { [Kind in WriteKind]: { readonly kind: Kind } & WriteCommands[Kind]['of'] }[WriteKind];

/** Executes commands in order of arrival, each atomic and durable when its promise resolves. */
export type Writer = {
  readonly write: <Kind extends WriteKind>(
    kind: Kind,
    of: WriteCommands[Kind]['of'],
  ) => Promise<WriteCommands[Kind]['gives']>;
  /** Earlier commands are executed first. */
  readonly close: () => Promise<void>;
};

/** Roughly how many rows a command writes. */
export function weightOf(command: WriteCommand): number {
  switch (command.kind) {
    case 'put':
    case 'commit':
      return command.rows.length + 1;
    case 'delete':
      return command.ids.length;
    case 'acquire':
    case 'release':
      return command.names.length;
    case 'buildTable':
      return command.isNew ? 1 : Number.POSITIVE_INFINITY;
    case 'buildIndexes':
    case 'dropTable':
      return Number.POSITIVE_INFINITY;
    default:
      return 1;
  }
}

/** Runs inside a transaction; without other effects, so that it can be rolled back and run again. */
export function carryOut(command: WriteCommand, database: DatabaseSync, statements: Statements): unknown {
  switch (command.kind) {
    case 'put':
      return TableWriter.for(command.layout, statements).putAll(command.rows);
    case 'putIf':
      return TableWriter.for(command.layout, statements).putIf(command.row, command.expected);
    case 'delete':
      return TableWriter.for(command.layout, statements).deleteAll(command.ids);
    case 'commit':
      return commit(command, statements);
    case 'deleteCheckpoint':
      statements.get('DELETE FROM checkpoints WHERE name = ?').run(command.name);
      return undefined;
    case 'acquire':
      return acquireLeases(statements, command);
    case 'release':
      return releaseLeases(statements, command);
    case 'buildTable':
      return buildTable(database, command);
    case 'dropTable':
      return dropTable(database, command.layout);
    case 'buildIndexes':
      return buildIndexes(database, command);
    default:
      throw new RangeError('not a write command');
  }
}

export function storedCheckpoint(statements: Statements, name: string): Checkpoint | undefined {
  const row = statements.get('SELECT position, fence FROM checkpoints WHERE name = ?').get(name);
  return row === undefined ? undefined : { name, position: String(row.position), fence: Number(row.fence) };
}

function commit(command: WriteCommand & { kind: 'commit' }, statements: Statements): 'committed' | 'fenced' {
  const { name, expected, position, fence } = command.move;
  const stored = storedCheckpoint(statements, name);
  // A batch that is repeated because its answer was lost finds its own checkpoint.
  const repeated = stored?.position === position && stored.fence === fence;
  const next = (stored?.position ?? null) === expected && (stored?.fence ?? 0) <= fence;
  if (!repeated && !next) return 'fenced';
  TableWriter.for(command.layout, statements).putAll(command.rows);
  if (!command.ahead) statements.get('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)').run(name, position, fence);
  return 'committed';
}
