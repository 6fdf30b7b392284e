import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import { findSql } from '../../src/readstore/embedded/find-sql.ts';
import { declaredIndexes } from '../../src/readstore/embedded/schema-changes.ts';
import { Statements } from '../../src/readstore/embedded/statements.ts';
import { layoutOf } from '../../src/readstore/embedded/table-layout.ts';
import type { CollectionSpec, Document } from '../../src/readstore/read-store.ts';

const TENANT = randomUUID();
const COMPANY = 'company-one';
const ROWS = 2_000;
const LIMIT = 50;

it.each([
  ['in bytes', [{ fields: ['tenantId'] }]],
  ['as texts', []],
] as const)('a page of a walk by ids %s begins where the page before ended', async (_, indexes) => {
  const folder = await mkdtemp(join(tmpdir(), 'pages-by-id-'));
  const file = join(folder, 'read.sqlite');
  try {
    const spec: CollectionSpec = { name: 'walked', indexes };
    const documents = Array.from({ length: ROWS }, (): Document & { tenantId: string; companyId: string } => ({
      _id: `${TENANT}/${randomUUID()}`,
      _position: '1',
      tenantId: TENANT,
      companyId: COMPANY,
    }));
    const store = openEmbeddedReadStore({ file });
    await store.ensureCollection(spec);
    await store.collection(spec).putMany(documents);
    await store.close();

    const ids = documents.map(({ _id }) => _id).sort();
    const database = new DatabaseSync(file);
    const layout = layoutOf(spec.name, declaredIndexes(new Statements(database), spec.name) ?? []);
    database.function('doc_value', () => COMPANY);
    for (const direction of ['asc', 'desc'] as const) {
      const sql = findSql(layout, {
        filter: [
          { field: '_id', op: 'prefix', value: `${TENANT}/` },
          { field: 'companyId', op: 'eq', value: COMPANY },
        ],
        sort: [{ field: '_id', direction }],
        after: [ids.at(direction === 'asc' ? -LIMIT * 3 : LIMIT * 3) ?? ''],
        limit: LIMIT,
      });
      const [text, values] = [sql?.text ?? '', sql?.values ?? []];
      expect(database.prepare(text).all(...values)).toHaveLength(LIMIT);
      const program = database.prepare(`EXPLAIN ${text}`).all(...values);
      const begins = program.map(({ opcode }) => String(opcode)).filter((opcode) => opcode.startsWith('Seek'));
      // After the last row of the page before, and not at the first or last row with the prefix.
      expect(begins).toEqual([direction === 'asc' ? 'SeekGT' : 'SeekLT']);
    }
    database.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
