import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ruleFields } from '../../src/http/routes/rules/rule-bodies.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let api: TestService;
beforeAll(async () => {
  api = await startTestService();
});
afterAll(() => api.stop());

const action = (externalId: string) => ({
  type: 'attach_reference',
  reference: { source: 'erp', entityType: 'customer', externalId, label: null },
});
const conditions = (value: boolean) => ({
  combinator: 'all',
  children: [{ field: 'incoming', operator: 'equals', value }],
});

/** For each field of a rule a value and another one. The first test fails when a field is missing here. */
const VALUES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  name: ['First name', 'Other name'],
  description: ['First description', 'Other description'],
  conditions: [conditions(true), conditions(false)],
  actions: [[action('one')], [action('other')]],
  tags: [['one'], ['other', 'third']],
  effectiveFrom: ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
};

type Rule = Readonly<Record<string, unknown>> & { readonly id: string; readonly version: number };

const bodyOf = (nth: 0 | 1) => Object.fromEntries(Object.entries(VALUES).map(([name, pair]) => [name, pair[nth]]));

/** Reads once the read models contain what the answer made. */
async function read<Result>(path: string, position: string | null): Promise<Result> {
  const { body, status } = await api.call<Result>('GET', path, undefined, { 'x-min-log-position': position ?? '' });
  expect(status).toBe(200);
  return body.result;
}

async function expectEverywhere(rule: Rule, position: string | null, wanted: Readonly<Record<string, unknown>>) {
  expect(rule).toMatchObject(wanted);
  expect(await read(`/banks/transaction-rules/${rule.id}`, position)).toMatchObject(wanted);
  const { items } = await read<{ items: Rule[] }>('/banks/transaction-rules?limit=200', position);
  expect(items.find(({ id }) => id === rule.id)).toMatchObject(wanted);
  const versions = await read<{ items: Rule[] }>(`/banks/transaction-rules/${rule.id}/versions`, position);
  expect(versions.items.find(({ version }) => version === rule.version)).toMatchObject(wanted);
  const asOf = await read<{ entity: unknown }>(
    `/banks/audit/history/rule/${rule.id}/as-of?position=${position}`,
    position,
  );
  expect(asOf.entity).toMatchObject(wanted);
}

describe('each field of a rule', () => {
  it('has values to send', () => {
    expect(Object.keys(VALUES).sort()).toEqual(Object.keys(ruleFields).sort());
  });

  it('is created, changed alone, read, listed, kept by version and seen as of a position', async () => {
    const created = await api.call<Rule>('POST', '/banks/transaction-rules', bodyOf(0));
    expect(created.status).toBe(201);
    await expectEverywhere(created.body.result, created.headers.get('x-log-position'), bodyOf(0));
    let wanted = bodyOf(0);
    let { version } = created.body.result;
    for (const [name, [, other]] of Object.entries(VALUES)) {
      const change = { version, [name]: other };
      const changed = await api.call<Rule>('PATCH', `/banks/transaction-rules/${created.body.result.id}`, change);
      expect([name, changed.status]).toEqual([name, 200]);
      wanted = { ...wanted, [name]: other };
      version = changed.body.result.version;
      await expectEverywhere(changed.body.result, changed.headers.get('x-log-position'), wanted);
    }
  });

  it('is accepted for the evaluation of a draft, except for the start date', async () => {
    const { effectiveFrom: _, ...tried } = bodyOf(0);
    const { status } = await api.call('POST', '/banks/transaction-rules/evaluate', tried);
    expect(status).toBe(200);
  });

  it('is in its event, which the history shows', async () => {
    const created = await api.call<Rule>('POST', '/banks/transaction-rules', bodyOf(1));
    const history = await read<{ items: { changes: { path: string; after: unknown }[] }[] }>(
      `/banks/audit/history/rule/${created.body.result.id}`,
      created.headers.get('x-log-position'),
    );
    const paths = history.items.flatMap(({ changes }) => changes.map(({ path }) => path.split('.')[0]));
    expect(paths).toEqual(expect.arrayContaining(Object.keys(VALUES)));
  });
});
