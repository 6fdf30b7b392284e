import { describe, it } from 'vitest';
import { companies } from '../../src/projections/tenancy.ts';
import { tenants } from '../../src/projections/tenants.ts';
import { AT } from '../support/facts.ts';
import { given } from '../support/projection-specification.ts';
import { recordedEvent, TENANT } from '../support/recorded-events.ts';

const tenant = (tenantId: string, name: string, createdAt: string) =>
  recordedEvent('tenant', tenantId, { type: 'TenantCreated', data: { name, createdAt } }, tenantId);
const company = (companyId: string, automation: boolean, tenantId = TENANT) =>
  recordedEvent(
    'company',
    companyId,
    { type: 'CompanyCreated', data: { companyId, name: companyId, automation, createdAt: AT } },
    tenantId,
  );

describe('tenants', () => {
  it('a tenant has the name it was created with; the list holds all of them', () => {
    const later = '2026-02-01T10:00:00.000Z';
    given(tenants, [tenant('one', 'Acme', AT), tenant('two', 'Beta', later)]).thenDocuments(
      [
        { tenantId: 'one', name: 'Acme', createdAt: AT },
        { tenantId: 'two', name: 'Beta', createdAt: later },
      ],
      ({ createdAt }) => Date.parse(createdAt),
    );
  });
});

describe('companies', () => {
  it('a company belongs to itself, and says whether its transactions are automated', () => {
    given(companies, [company('acme', true)]).then({
      ...{ id: 'acme', companyId: 'acme', tenantId: TENANT, name: 'acme', automation: true, createdAt: AT },
    });
  });

  it('companies of two tenants with the same id are two companies', () => {
    given(companies, [company('acme', true), company('acme', false, 'other')]).thenDocuments(
      [
        { tenantId: TENANT, automation: true },
        { tenantId: 'other', automation: false },
      ],
      ({ automation }) => (automation ? 0 : 1),
    );
  });
});
