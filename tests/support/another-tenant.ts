import { randomUUID } from 'node:crypto';
import { OPERATOR_TOKEN } from './planted-tenant.ts';
import { bearer } from './signed-in.ts';
import type { TestService } from './test-service.ts';

export type Headers = Readonly<Record<string, string | undefined>>;
type Made = {
  company: { id: string };
  admin: { email: string; password: string };
  apiKey: { key: string; secret: string };
};

/** Another tenant of a service that has `OPERATOR_TOKEN`: its key, and the company it works for. */
export async function anotherTenant(api: TestService): Promise<Headers> {
  const operator = { ...bearer(OPERATOR_TOKEN), 'x-company-id': undefined };
  const wanted = { name: 'Another', adminEmail: `${randomUUID()}@example.com` };
  const made = await api.call<Made>('POST', '/operator/tenants', wanted, operator);
  const position = await api.service.log.head();
  await api.service.httpServices.waitFor(['companies', 'api-keys'], position, 100_000);
  const { apiKey, company } = made.body.result;
  return { 'x-api-key': apiKey.key, 'x-api-secret': apiKey.secret, 'x-company-id': company.id };
}
