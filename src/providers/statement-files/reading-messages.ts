import type { FileOutline } from './file-content.ts';
import type { FileSettings } from './file-settings.ts';
import type { Filing } from './filing.ts';
import type { StatementFile } from './statements-folder.ts';

/** What the thread that reads large files is asked. */
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

/** What it answers: the outline in parts, so that none is long to take in, then how the reading ended. */
export type FromReading =
  | { readonly id: number; readonly type: 'part'; readonly part: OutlinePart }
  | ({ readonly id: number; readonly type: 'read'; readonly sha256: string } & Filing)
  /** The file is being written, or the reading was given up. */
  | { readonly id: number; readonly type: 'pending' }
  /** `of`: what could not be used, the file or the spool. */
  | { readonly id: number; readonly type: 'failed'; readonly of: 'file' | 'spool'; readonly reason: string };

export type OutlinePart = Pick<FileOutline, 'summaries' | 'days'>;
