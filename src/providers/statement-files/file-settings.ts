import { isCharset } from './code-pages.ts';
import { type CsvMapping, csvMappingOf } from './csv-mapping.ts';

/** How the files of a connection are read, as its credentials say. */
export type FileSettings = {
  /** `note`: a statement whose balances do not follow from its rows is imported nevertheless, with a note. */
  readonly balances: 'strict' | 'note';
  /** The encoding of files that declare none; null: detected for each file. */
  readonly charset: string | null;
  /** How CSV files are read; null: they are not read. */
  readonly csv: CsvMapping | null;
};

export function fileSettingsOf(credentials: Readonly<Record<string, unknown>>): FileSettings {
  const { balances, charset, csv } = credentials;
  return {
    balances: balances === 'note' ? 'note' : 'strict',
    charset: isCharset(charset) ? charset.toLowerCase() : null,
    csv: csvMappingOf(csv),
  };
}
