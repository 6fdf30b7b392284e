import type { DayOutline } from './day-outlines.ts';
import type { ClosingSummary } from './file-content.ts';
import type { FileSettings } from './file-settings.ts';
import { type Filing, fileParts } from './filing.ts';
import type { OutlinePart } from './reading-messages.ts';
import { openSpoolWriter } from './spool-writer.ts';
import type { StatementPart } from './statement-parts.ts';
import type { StatementFile } from './statements-folder.ts';

/** Days and statements sent in one message. */
const PART_LENGTH = 500;

/**
 * Reads a file into a spool, which is complete when this resolves.
 * @param options.send receives the outline of the file in parts
 * @throws Error of SQLite when the spool cannot be written, and what `parts` throws
 */
export async function spoolParts(
  parts: AsyncIterable<StatementPart>,
  options: {
    readonly file: Pick<StatementFile, 'name'>;
    readonly settings: Pick<FileSettings, 'balances'>;
    readonly spoolPath: string;
    readonly mostBytes: number;
    readonly send: (part: OutlinePart) => void;
  },
): Promise<Filing> {
  const { file, settings, spoolPath, mostBytes } = options;
  let summaries: ClosingSummary[] = [];
  let days: (readonly DayOutline[])[] = [];
  let length = 0;
  function sendPart(): void {
    options.send({ summaries, days });
    summaries = [];
    days = [];
    length = 0;
  }

  const writer = openSpoolWriter(spoolPath, mostBytes);
  try {
    const filing = await fileParts(parts, {
      name: file.name,
      settings,
      openDraft: writer.openDraft,
      take(filed) {
        filed.draft.keep(filed);
        summaries.push(filed.summary);
        days.push(filed.days);
        length += 1 + filed.days.length;
        if (length >= PART_LENGTH) sendPart();
      },
    });
    sendPart();
    writer.finish();
    return filing;
  } finally {
    writer.close();
  }
}
