import { randomUUID } from 'node:crypto';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES, type Role } from '../../src/events/tenancy.ts';
import { grantFolder } from '../../src/providers/statement-files/folder-grant.ts';
import { eventually, type TestService, workEnded } from './test-service.ts';

export type Headers = Readonly<Record<string, string | undefined>>;

/** A company with one thing of every kind. */
export type PlantedCompany = {
  readonly id: string;
  /** Part of every free text. */
  readonly marker: string;
  /** The id of one thing of every kind. */
  readonly ids: string[];
};

/** A tenant with two companies. */
export type PlantedTenant = {
  readonly id: string;
  /** Part of every free text of the tenant and its companies. */
  readonly marker: string;
  readonly key: Headers;
  readonly admin: { readonly email: string; readonly password: string };
  /** By bearer token, one user of each role. */
  readonly roles: Readonly<Record<Role, Headers>>;
  readonly companies: readonly [PlantedCompany, PlantedCompany];
  /** The ids of what belongs to no company: tenant, users and keys. */
  readonly ids: readonly string[];
};

export const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';

const NOT_BY_KEY = { 'x-api-key': undefined, 'x-api-secret': undefined, 'x-company-id': undefined };
const LONG_AGO_S = 1_700_000_000;

type Result = { readonly id: string; readonly [name: string]: unknown };

/** Calls with the given headers, and fails on anything but success. */
function caller(api: TestService, as: Headers) {
  return async <R = Result>(method: string, path: string, body?: unknown, more: Headers = {}): Promise<R> => {
    const answer = await api.call<R>(method, path, body, { ...as, ...more });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    const position = answer.headers.get('x-log-position');
    if (position !== null && method !== 'GET') await caughtUp(api);
    return answer.body.result;
  };
}

async function caughtUp(api: TestService): Promise<void> {
  const head = await api.service.log.head();
  const names = [
    'companies',
    'api-keys',
    'users',
    'sessions',
    'connections',
    'transactions',
    'rules',
    'rule-runs',
    'schedules',
    'webhooks',
  ];
  if (!(await api.service.httpServices.waitFor(names, head, 60_000)))
    throw new Error('the read models do not catch up');
}

export async function signedIn(
  api: TestService,
  person: { email: string; password: string },
  userAgent = 'planted',
): Promise<Headers> {
  const { email, password } = person;
  const ask = caller(api, { ...NOT_BY_KEY, 'user-agent': userAgent });
  const { accessToken } = await ask<{ accessToken: string }>('POST', '/auth/login', { email, password });
  return { ...NOT_BY_KEY, authorization: `Bearer ${accessToken}` };
}

/** One row of a statement whose texts hold the marker. */
function statement(marker: string, account: string): string {
  return [
    ':20:STARTUMS',
    `:25:${account}`,
    ':28C:1/1',
    ':60F:C260105EUR1000,00',
    ':61:2601060106C200,50NTRFNONREF',
    `:86:166?00GUTSCHRIFT?20${marker}?32${marker} GMBH`,
    ':62F:C260106EUR1200,50',
    '-',
    '',
  ].join('\r\n');
}

async function plantCompany(
  api: TestService,
  as: Headers,
  { tenantId, companyId, marker, nth }: { tenantId: string; companyId: string; marker: string; nth: number },
) {
  const headers = { ...as, 'x-company-id': companyId };
  const ask = caller(api, headers);
  const ids: string[] = [companyId];
  const kept = async (made: Promise<Result>): Promise<string> => {
    const { id } = await made;
    ids.push(id);
    return id;
  };
  const reference = { source: marker, entityType: marker, externalId: marker, label: marker };
  const rule = {
    name: marker,
    description: marker,
    conditions: { combinator: 'any', children: [{ field: 'incoming', operator: 'equals', value: true }] },
    actions: [{ type: 'attach_reference', reference }],
    tags: [marker],
  };
  const ruleId = await kept(ask('POST', '/banks/transaction-rules', rule));

  const folder = grantFolder(api.statementsDir, marker, { tenantId, companyId });
  const file = join(folder, `${marker}.sta`);
  writeFileSync(file, statement(marker, `${api.tenantId.slice(-8).toUpperCase()}${nth}`));
  utimesSync(file, LONG_AGO_S, LONG_AGO_S);
  const connect = async (body: object, credentials: object): Promise<string> => {
    const id = await kept(ask('POST', '/banks/accounts', { title: marker, ...body }));
    await ask('PUT', `/banks/accounts/${id}/credentials`, credentials);
    await workEnded(api, id, 'setup', undefined, headers);
    await workEnded(api, id, 'sync', { from: '2026-01-05', to: '2026-01-08' }, headers);
    await caughtUp(api);
    return id;
  };
  const demo = await connect({ bankCode: 'demo' }, { seed: marker, transactionsPerDay: 2 });
  await connect({ bankCode: 'statement-files', environment: 'production' }, { folder: marker });
  const syncs = await ask<{ items: Result[] }>('GET', `/banks/accounts/${demo}/syncs`);
  ids.push(syncs.items[0]?.id ?? '');

  const list = await eventually(
    () => ask<{ items: Result[] }>('GET', '/banks/transactions?assigned=true'),
    ({ items }) => items.some(({ description }) => String(description).includes(marker)),
    60_000,
  );
  const transaction = list.items.find(({ description }) => String(description).includes(marker))?.id ?? '';
  ids.push(transaction);
  const path = `/banks/transactions/${transaction}/assignments`;
  const byHand = (externalId: string) => ask('POST', path, { reference: { ...reference, externalId }, tags: [marker] });
  await kept(byHand(`${marker}-1`));
  const revoked = await kept(byHand(`${marker}-2`));
  await ask('POST', `${path}/${revoked}/revoke`, { reason: marker });

  const preview = await kept(ask('POST', `/banks/transaction-rules/${ruleId}/preview-runs`, {}));
  await ended(ask, preview);
  await ended(
    ask,
    await kept(ask('POST', `/banks/transaction-rules/${ruleId}/backfill-runs`, { previewRunId: preview })),
  );

  const schedule = { accountId: demo, title: marker, everyMinutes: 10_080 };
  await kept(ask('POST', '/banks/schedules', schedule));
  // Of a type that nothing here causes, so that nothing is sent.
  const hook = { url: `https://1.1.1.1/${marker}`, types: ['schedule.paused'], description: marker };
  await kept(ask('POST', '/banks/webhooks', hook));
  await kept(ask('POST', '/banks/audit/replays', {}));
  return { id: companyId, marker, ids };
}

async function ended(ask: ReturnType<typeof caller>, runId: string): Promise<void> {
  await eventually(
    () => ask<{ status: string }>('GET', `/banks/rule-runs/${runId}`),
    ({ status }) => status === 'completed',
    60_000,
  );
}

/** Made through the operator's server, as every tenant is. */
export async function plantTenant(api: TestService, name: string): Promise<PlantedTenant> {
  const marker = `${name}${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  const operator = { ...NOT_BY_KEY, authorization: `Bearer ${OPERATOR_TOKEN}` };
  const made = await caller(api, operator)<{
    tenant: { id: string };
    company: { id: string };
    admin: { email: string; password: string };
    apiKey: { key: string; secret: string };
  }>('POST', '/operator/tenants', { name: marker, adminEmail: `${marker}@example.com` });
  const key = { 'x-api-key': made.apiKey.key, 'x-api-secret': made.apiKey.secret };
  const admin = await signedIn(api, made.admin, marker);
  const ask = caller(api, admin);
  const ids = [made.tenant.id];

  const roles: Partial<Record<Role, Headers>> = { admin };
  for (const role of ROLES.filter((one) => one !== 'admin')) {
    const person = { email: `${role}.${marker}@example.com`, password: `password of ${marker}` };
    const { id } = await ask('POST', '/auth/users', { ...person, role, displayName: marker });
    ids.push(id);
    roles[role] = await signedIn(api, person, marker);
  }
  await ask('PATCH', '/auth/me', { displayName: marker });
  const sessions = await ask<{ items: Result[] }>('GET', '/auth/sessions?userId=*');
  ids.push(...sessions.items.map(({ id }) => id));
  const revoked = await ask('POST', '/auth/api-keys', { name: marker, scopes: ['rules:read'] });
  await ask('POST', `/auth/api-keys/${revoked.id}/revoke`, { reason: marker });
  ids.push(revoked.id);

  const second = await ask('POST', '/auth/companies', { name: `${marker}x2` });
  const tenantId = made.tenant.id;
  const companies = [
    await plantCompany(api, key, { tenantId, companyId: made.company.id, marker: `${marker}x1`, nth: 1 }),
    await plantCompany(api, key, { tenantId, companyId: second.id, marker: `${marker}x2`, nth: 2 }),
  ] as const;
  return {
    id: made.tenant.id,
    marker,
    key,
    admin: made.admin,
    roles: roles as Record<Role, Headers>,
    companies,
    ids,
  };
}
