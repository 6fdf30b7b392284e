import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/providers/bank-provider.ts';
import { checkCredentials, createProviders } from '../../src/providers/catalogue.ts';
import { declareCredentials, text } from '../../src/providers/credentials.ts';
import { present, unclaimed } from './sessions.ts';

const providers = createProviders({ demoBank: true, statementsDir: '/nowhere', folderOwners: unclaimed });
const check = (bankCode: string, environment: Environment, input: unknown) =>
  checkCredentials(present(providers.get(bankCode)).description, environment, input);

describe('createProviders', () => {
  it('has each bank once, under its own code, with credentials for each of its environments', () => {
    expect([...providers.keys()]).toEqual(['demo', 'statement-files']);
    for (const [bankCode, { description }] of providers) {
      expect(description.bankCode).toBe(bankCode);
      expect(Object.keys(description.credentials)).toEqual([...description.environments]);
    }
  });
});

describe('checkCredentials', () => {
  it.each([
    ['demo', 'demo', {}],
    ['demo', 'demo', { seed: 'x', transactionsPerDay: 20_000, script: { steps: [] } }],
    ['statement-files', 'production', { folder: 'acme/giro 1' }],
  ] as const)('%s takes %j %j', (bankCode, environment, input) => {
    expect(check(bankCode, environment, input)).toEqual({ ok: true, credentials: input });
  });

  it('accepts a whole number for a text as its digits', () => {
    expect(check('demo', 'demo', { seed: 42 })).toEqual({ ok: true, credentials: { seed: '42' } });
  });

  it.each([
    ['demo', 'demo', 'x', ['', 'invalid_type']],
    ['demo', 'demo', [], ['', 'invalid_type']],
    ['demo', 'demo', { Seed: 'x' }, ['Seed', 'unrecognized_key']],
    ['demo', 'demo', JSON.parse('{"__proto__":{}}'), ['__proto__', 'unrecognized_key']],
    ['demo', 'demo', { seed: 1.5 }, ['seed', 'invalid_type']],
    ['demo', 'demo', { seed: 'x'.repeat(101) }, ['seed', 'too_big']],
    ['demo', 'demo', { transactionsPerDay: 0 }, ['transactionsPerDay', 'too_small']],
    ['demo', 'demo', { transactionsPerDay: 20_001 }, ['transactionsPerDay', 'too_big']],
    ['demo', 'demo', { transactionsPerDay: '5' }, ['transactionsPerDay', 'invalid_type']],
    ['demo', 'demo', { script: [] }, ['script', 'invalid_type']],
    ['demo', 'demo', { script: { steps: [], more: 1 } }, ['script', 'unrecognized_keys']],
    ['statement-files', 'production', {}, ['folder', 'required']],
    ['statement-files', 'production', { folder: ' ' }, ['folder', 'too_small']],
    ['statement-files', 'production', { folder: '../other' }, ['folder', 'invalid_format']],
    ['statement-files', 'production', { folder: 'x', charset: 'none' }, ['charset', 'invalid_value']],
    ['statement-files', 'production', { folder: 'x', balances: 'loose' }, ['balances', 'invalid_value']],
    ['statement-files', 'production', { folder: 'x', balances: 'lenient' }, ['balances', 'too_big']],
    ['statement-files', 'production', { folder: 'x', csv: [] }, ['csv', 'invalid_type']],
    ['statement-files', 'demo', { folder: 'x' }, ['', 'environment_not_supported']],
    ['demo', 'production', {}, ['', 'environment_not_supported']],
  ] as const)('%s, %s refuses %j', (bankCode, environment, input, [path, code]) => {
    expect(check(bankCode, environment, input)).toMatchObject({ ok: false, issues: [{ path, code }] });
  });

  it('names each fault of a CSV mapping by its own path', () => {
    expect(check('statement-files', 'production', { folder: 'x', csv: { other: 1 } })).toMatchObject({
      ok: false,
      issues: [
        { path: 'csv.columns', code: 'required' },
        { path: 'csv.dateFormat', code: 'required' },
        { path: 'csv.decimal', code: 'required' },
        { path: 'csv.other', code: 'unrecognized_key' },
      ],
    });
  });

  it('names every issue at once and none of the values', () => {
    const outcome = check('demo', 'demo', { seed: 'secret'.repeat(50), transactionsPerDay: -1, other: 'secret' });
    expect(outcome).toMatchObject({
      ok: false,
      issues: [{ path: 'other' }, { path: 'seed' }, { path: 'transactionsPerDay' }],
    });
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });
});

describe('the JSON Schema of the credentials', () => {
  it('says of each field its kind, its bounds and whether it is a secret, and lists the required ones', () => {
    const schema = (bankCode: string, environment: Environment) =>
      present(providers.get(bankCode)).description.credentials[environment]?.jsonSchema;
    const description = expect.any(String);
    expect(schema('demo', 'demo')).toEqual({
      type: 'object',
      additionalProperties: false,
      required: [],
      properties: {
        seed: { type: 'string', maxLength: 100, description },
        transactionsPerDay: { type: 'integer', minimum: 1, maximum: 20_000, description },
        script: { type: 'object', description },
      },
    });
    expect(schema('statement-files', 'production')).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['folder'],
      properties: {
        folder: { type: 'string', maxLength: 200, writeOnly: false, description },
        charset: { type: 'string', maxLength: 20, writeOnly: false, description },
        csv: { type: 'object', description },
        balances: { type: 'string', maxLength: 6, writeOnly: false, description },
      },
    });
    const secret = declareCredentials({ pin: text(8).meta({ description: 'The PIN.', writeOnly: true }) });
    expect(secret.jsonSchema.properties.pin).toMatchObject({ writeOnly: true });
  });

  it('cannot leave out a description', () => {
    expect(() => declareCredentials({ pin: text(8) })).toThrow('description');
  });
});

describe('an installation without the demo bank', () => {
  it('has no such bank', () => {
    const banks = createProviders({ demoBank: false, statementsDir: '/nowhere', folderOwners: unclaimed });
    expect([...banks.keys()]).toEqual(['statement-files']);
  });
});
