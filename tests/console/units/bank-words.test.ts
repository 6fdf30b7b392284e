import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bankReasonsTr, banksTr } from '../../../console/src/words/banks-tr.ts';
import { failuresTr } from '../../../console/src/words/failures-tr.ts';
import { createProviders } from '../../../src/providers/catalogue.ts';
import type { FolderOwners } from '../../../src/providers/statement-files/folder-owners.ts';

const SOURCE = join(import.meta.dirname, '../../../src');
const CODE = /'((?:ACCOUNT|CREDENTIALS|PROVIDER|STATEMENTS?|SYNC|VAULT)_[A-Z_]+)'/g;
/** Answers to requests, which failures-tr.ts has. */
const ANSWERS = ['SYNC_ENDED', 'SYNC_NOT_FOUND'];

const owners = {} as FolderOwners;
const banks = [...createProviders({ statementsDir: '/nowhere', folderOwners: owners, demoBank: true }).values()];

describe('the Turkish of the built-in banks', () => {
  it('has the name of each, and of no other', () => {
    expect(Object.keys(banksTr).toSorted()).toEqual(banks.map(({ description }) => description.bankCode).toSorted());
  });

  it.each(banks.map(({ description }) => [description.bankCode, description] as const))(
    'has every credential of %s, and no other',
    (bankCode, { credentials }) => {
      const names = Object.values(credentials).flatMap((one) => Object.keys(one?.jsonSchema.properties ?? {}));
      const { name, fields } = banksTr[bankCode] ?? { name: '', fields: {} };
      expect(Object.keys(fields).toSorted()).toEqual([...new Set(names)].toSorted());
      const texts = [name, ...Object.values(fields).flatMap(({ label, hint, fault }) => [label, hint, fault])];
      expect(texts.filter((text) => text.trim() === '')).toEqual([]);
    },
  );

  it('has every code that a connector or a sync gives as its reason, and no other', () => {
    const files = ['providers/**/*.ts', 'reactors/syncs/*.ts'].flatMap((pattern) => globSync(pattern, { cwd: SOURCE }));
    const codes = new Set(
      files.flatMap((file) => Array.from(readFileSync(join(SOURCE, file), 'utf8').matchAll(CODE), ([, code]) => code)),
    );
    expect(codes.size).toBeGreaterThan(20);
    const known = new Set([...Object.keys(bankReasonsTr), ...Object.keys(failuresTr), ...ANSWERS]);
    expect([...codes].filter((code) => code === undefined || !known.has(code))).toEqual([]);
    expect(Object.keys(bankReasonsTr).filter((code) => !codes.has(code))).toEqual([]);
  });
});
