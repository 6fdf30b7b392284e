import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { grantFolder } from '../../src/providers/statement-files/folder-grant.ts';
import { COMPANY, type TestService, workEnded } from './test-service.ts';

const LONG_AGO_S = 1_700_000_000;

/** Puts a file into a folder of the service, with an old modification time. */
export function deliverTo(
  { statementsDir }: TestService,
  folder: string,
  name: string,
  content: string | Uint8Array,
): void {
  const path = join(statementsDir, folder);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, name), content);
  utimesSync(join(path, name), LONG_AGO_S, LONG_AGO_S);
}

/** Opens a connection to a folder, which is granted to the company, and sets it up. @returns its id */
export async function connectFolder(
  api: TestService,
  folder: string,
  settings: Record<string, unknown> = {},
): Promise<string> {
  const body = { bankCode: 'statement-files', title: folder, environment: 'production' };
  const { id } = (await api.call<{ id: string }>('POST', '/banks/accounts', body)).body.result;
  grantFolder(api.statementsDir, folder, { tenantId: api.tenantId, companyId: COMPANY });
  const put = await api.call('PUT', `/banks/accounts/${id}/credentials`, { folder, ...settings });
  expect(put.status).toBe(200);
  await workEnded(api, id, 'setup');
  return id;
}
