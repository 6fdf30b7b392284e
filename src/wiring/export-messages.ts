import type { RecordedEvent } from '../events/event.ts';
import type { FilePart, FileQuestion } from '../http/routes/transactions/transaction-file.ts';

/** A file is identified by its number from `open` to `close`. */
export type ToExports =
  | { readonly type: 'open'; readonly id: number; readonly question: FileQuestion }
  | { readonly type: 'next'; readonly id: number }
  | { readonly type: 'close'; readonly id: number }
  | { readonly type: 'events'; readonly asked: number; readonly streams: readonly (readonly RecordedEvent[])[] }
  | { readonly type: 'noEvents'; readonly asked: number; readonly error: string }
  | { readonly type: 'end' };

export type AskedStream = { readonly stream: string; readonly fromRevision: number };

export type FromExports =
  | { readonly type: 'part'; readonly id: number; readonly part: FilePart }
  | { readonly type: 'failed'; readonly id: number; readonly error: string }
  /** The events of streams, for the file with that number. */
  | {
      readonly type: 'streams';
      readonly id: number;
      readonly asked: number;
      readonly streams: readonly AskedStream[];
    };
