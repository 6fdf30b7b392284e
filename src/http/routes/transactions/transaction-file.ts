import { createHash } from 'node:crypto';
import type { DaysWalked } from '../../../audit/days-then.ts';
import { transactionsThen } from '../../../audit/lists-then.ts';
import { type Keyset, pageAsOf, type Streams } from '../../../audit/page-as-of.ts';
import type { ReadModels } from '../../../queries/read-models.ts';
import { openReader, type Reader } from '../../../queries/reader.ts';
import type { Filter, Sort } from '../../../readstore/read-store.ts';
import { utf8Bytes } from '../../../shared/utf8-bytes.ts';
import { type CsvDialect, csvHeader } from '../../core/csv.ts';
import { type ExportColumn, lineWriter } from './export-columns.ts';

/** What a file holds and how it is written: plain data, so that it can be sent to a thread. */
export type FileQuestion = {
  readonly tenantId: string;
  /** Null: all of the tenant. */
  readonly companies: readonly string[] | null;
  readonly filter: Filter;
  readonly sort: Sort;
  readonly position: string;
  readonly columns: readonly ExportColumn[];
  readonly dialect: CsvDialect;
};

export type FilePart = {
  /** May be empty where much had to be examined. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** With the last part: of all of the file. */
  readonly seal: FileSeal | null;
};

export type FileSeal = {
  readonly rows: number;
  /** SHA-256 of all bytes, in Base64. */
  readonly digest: string;
};

/** A file of transactions that is made part by part: nothing is made before it is asked for, or kept between two. */
export type TransactionFile = {
  /** One at a time; none after the last. @throws ReadStoreUnavailable, LogUnavailable */
  readonly next: () => Promise<FilePart>;
  /** Ends what is being made at once; to be called however the file ends. */
  readonly close: () => void;
};

export type TransactionFiles = {
  readonly open: (question: FileQuestion) => TransactionFile;
  /** Has a part made when it is its tenant's turn. @throws the signal's reason */
  readonly inTurn: <T>(tenantId: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
};

/** @param options.rowsAPart the bytes of the file do not depend on it */
export function openTransactionFile(
  options: { readonly log: Streams; readonly readModels: ReadModels; readonly rowsAPart: number },
  question: FileQuestion,
): TransactionFile {
  const { tenantId, companies, filter, sort, position, columns, dialect } = question;
  const closing = new AbortController();
  const reader = until(closing.signal, openReader(options.readModels, tenantId, companies));
  const asked = { list: transactionsThen, filter, sort, position, limit: options.rowsAPart };
  const walked: DaysWalked = { run: null };
  const lines = lineWriter(reader, columns, dialect);
  const digest = createHash('sha256');
  let rows = 0;
  let after: Keyset | null | undefined;

  return {
    async next() {
      const head = after === undefined ? csvHeader(columns, dialect) : '';
      const page = await pageAsOf(options.log, reader, { ...asked, walked, ...(after && { after }) });
      const bytes = utf8Bytes(head + (await lines(page.items)));
      digest.update(bytes);
      rows += page.items.length;
      after = page.after;
      return { bytes, seal: after === null ? { rows, digest: digest.digest('base64') } : null };
    },
    close: () => closing.abort(),
  };
}

/** The same reader until the signal aborts: what is being made for a client that has left ends with its next read. */
function until(signal: AbortSignal, reader: Reader): Reader {
  return {
    ...reader,
    page(projection, options) {
      signal.throwIfAborted();
      return reader.page(projection, options);
    },
  };
}
