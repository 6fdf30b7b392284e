import { demoRules, ISTANBUL } from '../../../cli/demo/demo-rules.ts';
import { ROLES, type Role } from '../../../src/events/tenancy.ts';
import { bearer, type Credentials, signIn } from '../../support/signed-in.ts';
import {
  automationDone,
  connectDemoBank,
  startTestService,
  syncAndWait,
  type TestService,
} from '../../support/test-service.ts';

/** The real service with the console as it was built last, and somebody of each role. */
export type ConsoleService = {
  readonly api: TestService;
  readonly url: string;
  readonly people: Readonly<Record<Role, Credentials>>;
  /** Of the connection whose transactions are there; null where nothing was planted. */
  readonly connectionId: string | null;
  readonly stop: () => Promise<void>;
};

type Options = {
  /** False: a company that has nothing yet. */
  readonly planted?: boolean;
  readonly transactionsPerDay?: number;
  readonly environment?: Record<string, string>;
};

const TENANT = 'Acme group';
const PASSWORD = 'correct horse battery staple';

/**
 * Plants a tenant with the company "Acme group" and the rules of the demo, of which some match; unless told otherwise,
 * with 90 days of the demo bank.
 */
export async function startConsole({
  planted = true,
  transactionsPerDay = 6,
  environment,
}: Options = {}): Promise<ConsoleService> {
  const api = await startTestService({
    environment: {
      BOOTSTRAP_TENANT: TENANT,
      BOOTSTRAP_ADMIN_EMAIL: 'ada.admin@acme.example',
      BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      ...environment,
    },
  });
  const people = await addPeople(api);
  const connectionId = planted ? await plant(api, transactionsPerDay) : null;
  return { api, url: api.service.url, people, connectionId, stop: api.stop };
}

async function addPeople(api: TestService): Promise<Record<Role, Credentials>> {
  const admin = { email: 'ada.admin@acme.example', password: PASSWORD };
  const people: Record<Role, Credentials> = { admin, operator: admin, analyst: admin, auditor: admin };
  const { accessToken } = await signIn(api, admin);
  await api.call(
    'PATCH',
    '/auth/me',
    { displayName: 'Ada Admin', locale: 'en', timezone: 'Europe/Istanbul' },
    bearer(accessToken),
  );
  for (const role of ROLES.filter((one) => one !== 'admin')) {
    const person = { email: `${role}@acme.example`, password: PASSWORD };
    const displayName = `Uma ${role.charAt(0).toUpperCase()}${role.slice(1)}`;
    const added = await api.call('POST', '/auth/users', { ...person, role, displayName }, bearer(accessToken));
    if (added.status !== 201) throw new Error(JSON.stringify(added.body));
    people[role] = person;
    const signedIn = await signIn(api, person);
    await api.call('PATCH', '/auth/me', { locale: 'en', timezone: 'Europe/Istanbul' }, bearer(signedIn.accessToken));
  }
  return people;
}

async function plant(api: TestService, transactionsPerDay: number): Promise<string> {
  for (const { company, ...rule } of demoRules) {
    if (company !== ISTANBUL) continue;
    const made = await api.call('POST', '/banks/transaction-rules', rule);
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  }
  const connectionId = await connectDemoBank(api, { seed: 'console', transactionsPerDay });
  await syncAndWait(api, connectionId);
  await automationDone(api);
  return connectionId;
}
