import { z } from 'zod';
import { declareCredentials, NOT_AN_OBJECT, refusedAs, requiredText, text } from '../credentials.ts';
import { CHARSETS, isCharset } from './code-pages.ts';
import { csvIssues } from './csv-mapping.ts';
import { FOLDER_LENGTH, isFolderName } from './statements-folder.ts';

/** The CSV mapping reports its own faults, each with its own code. */
const csv = z.looseObject({}, { error: NOT_AN_OBJECT }).superRefine((mapping, context) => {
  for (const { path, code, message } of csvIssues(mapping)) {
    context.addIssue({ code: 'custom', path: path.split('.').slice(1), params: { code }, message });
  }
});

export const FILE_CREDENTIALS = declareCredentials({
  folder: requiredText(FOLDER_LENGTH)
    .refine(isFolderName, refusedAs('invalid_format', 'must name a folder below the statements directory'))
    .meta({
      writeOnly: false,
      description:
        'The folder below STATEMENTS_DIR into which the bank delivers. It belongs to one company: the first ' +
        'one that names it or, in an installation with several tenants, the one it was granted to.',
    }),
  charset: text(20)
    .refine(isCharset, refusedAs('invalid_value', `must be one of ${CHARSETS.join(', ')}`))
    .optional()
    .meta({
      writeOnly: false,
      description: `The encoding of files that declare none: ${CHARSETS.join(', ')}. Without it, it is detected for each file.`,
    }),
  csv: csv.optional().meta({
    description:
      'How CSV files are read; without it, they are skipped. It has columns, dateFormat and decimal, and, where ' +
      'they differ from the defaults, delimiter, header, sign and charset. See docs/guides/statement-files.md.',
  }),
  balances: text(6)
    .refine((value) => value === 'strict' || value === 'note', refusedAs('invalid_value', 'must be strict or note'))
    .optional()
    .meta({
      writeOnly: false,
      description:
        'strict (default): a statement whose rows do not lead from its opening to its closing balance is ' +
        'refused. note: for a bank that writes its balances wrong, it is imported and the difference is noted ' +
        'on the sync.',
    }),
});
