import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorRemedies } from '../../src/http/core/error-remedies.ts';
import { type ErrorCode, errorCodes } from '../../src/http/core/errors.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/errors.md');

it('docs/errors.md repeats the codes of src/http/core and what to do about each, line for line', () => {
  const lines = readFileSync(DOCUMENT, 'utf8').split('\n');
  const table = lines.slice(lines.findIndex((line) => line.startsWith('| code |')));
  const rows = Object.entries(errorCodes).map(
    ([code, [status, message]]) => `| \`${code}\` | ${status} | ${message} | ${errorRemedies[code as ErrorCode]} |`,
  );
  expect(table.slice(0, rows.length + 3)).toEqual([
    '| code | status | message | what to do |',
    '|---|---|---|---|',
    ...rows,
    '',
  ]);
});
