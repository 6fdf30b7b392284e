import { loadConnection, replaceCredentials } from '../../../commands/change-connection.ts';
import { type BankProvider, type Environment, ProviderError } from '../../../providers/bank-provider.ts';
import { checkCredentials } from '../../../providers/catalogue.ts';
import type { CredentialsDeclaration } from '../../../providers/credentials.ts';
import { ApiError, validationFailed } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { credentialsReceiptSchema } from '../../resources/connection.ts';
import { bankOf } from './connection-of.ts';

function fieldNames(mode: CredentialsDeclaration | undefined): string[] {
  return Object.keys(mode?.jsonSchema.properties ?? {});
}

/** Names of credentials that another bank or environment takes and this one does not. */
function foreignFields(providers: Iterable<BankProvider>, mine: ReadonlySet<string>): Set<string> {
  const all = [...providers].flatMap(({ description }) => Object.values(description.credentials));
  return new Set(all.flatMap(fieldNames).filter((name) => !mine.has(name)));
}

export const putCredentialsOperation = operation({
  id: 'putCredentials',
  method: 'put',
  path: '/banks/accounts/{id}/credentials',
  tag: 'Connections',
  summary: "Set the connection's credentials, replacing any others",
  description:
    'Write-only. The body holds the fields that the catalogue names for the bank and environment; it may repeat ' +
    '`environment`, ' +
    'which must then be the connection’s. Encrypted at rest; never part of an event, log or answer.',
  access: 'connections:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  body: z.looseObject({ environment: z.enum(['demo', 'production']).optional() }),
  result: credentialsReceiptSchema,
  errors: ['CREDENTIAL_MODE_MISMATCH', 'STATEMENT_FOLDER_NOT_GRANTED', 'CONNECTION_ARCHIVED', 'BANK_NOT_SUPPORTED'],
  handle: async ({ services, params, body, context }) => {
    const { state } = await loadConnection(context, params.id);
    if (state.opened === null) throw new ApiError('CONNECTION_NOT_FOUND');
    if (state.archived) throw new ApiError('CONNECTION_ARCHIVED');
    const { bankCode, environment } = state.opened;
    const bank = bankOf(services, bankCode);
    const { environment: named, ...fields } = body;
    refuseOtherMode(services.providers, bank.credentials[environment], { named, environment, fields });
    const checked = checkCredentials(bank, environment, fields);
    if (!checked.ok) throw validationFailed(checked.issues);
    await refuseWithoutAccess(services.providers.get(bankCode), context, checked.credentials);
    const receipt = await services.vault.put(context.tenantId, params.id, environment, checked.credentials);
    const { position } = requireAccepted(await replaceCredentials(context, params.id, receipt.fingerprint));
    return { status: 200, result: { environment, ...receipt }, position };
  },
});

/** A fault that may pass is left to the setup. @throws ApiError STATEMENT_FOLDER_NOT_GRANTED */
async function refuseWithoutAccess(
  provider: BankProvider | undefined,
  { tenantId, companyId }: { readonly tenantId: string; readonly companyId: string | null },
  credentials: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    await provider?.checkAccess?.({ tenantId, companyId: companyId ?? '', credentials });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.kind !== 'transient') throw new ApiError('STATEMENT_FOLDER_NOT_GRANTED');
  }
}

function refuseOtherMode(
  providers: ReadonlyMap<string, BankProvider>,
  mode: CredentialsDeclaration | undefined,
  given: { named: Environment | undefined; environment: Environment; fields: Record<string, unknown> },
): void {
  const foreign = foreignFields(providers.values(), new Set(fieldNames(mode)));
  const mismatch = given.named !== undefined && given.named !== given.environment;
  if (mismatch || Object.keys(given.fields).some((name) => foreign.has(name))) {
    throw new ApiError('CREDENTIAL_MODE_MISMATCH', { environment: given.environment });
  }
}
