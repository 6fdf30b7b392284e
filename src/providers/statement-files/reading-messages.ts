import type { FileOutline } from './file-content.ts';
import type { FileSettings } from './file-settings.ts';
import type { Filing } from './filing.ts';
import type { StatementFile } from './statements-folder.ts';

/** Requests to the thread that reads large files. */
export type ToReading =
  | {
      readonly type: 'read';
      readonly id: number;
      readonly file: StatementFile;
      readonly settings: FileSettings;
      readonly spoolPath: string;
      readonly mostBytes: number;
    }
  | { readonly type: 'give-up'; readonly id: number };

/** Its answers: the outline in parts, so that each is received quickly, then how the reading ended. */
export type FromReading =
  | { readonly id: number; readonly type: 'part'; readonly part: OutlinePart }
  | ({ readonly id: number; readonly type: 'read'; readonly sha256: string } & Filing)
  /** The file is being written, or the reading was aborted. */
  | { readonly id: number; readonly type: 'pending' }
  /** `of`: which one could not be used, the file or the spool. */
  | { readonly id: number; readonly type: 'failed'; readonly of: 'file' | 'spool'; readonly reason: string };

export type OutlinePart = Pick<FileOutline, 'summaries' | 'days'>;
