import { loadConnection } from '../../../commands/change-connection.ts';
import { ProviderError, type ProviderSession } from '../../../providers/bank-provider.ts';
import { VaultError } from '../../../providers/vault.ts';
import { ApiError, type ErrorCode } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { dryRunResource, dryRunSchema } from '../../resources/dry-run.ts';

/** Reading the largest file takes less time. */
const LONGEST_MS = 60_000;

/** A name within the folder itself: no path, nothing hidden. */
const fileName = z
  .string()
  .min(1)
  .max(255)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .regex(/^[^./\\\u0000-\u001f][^/\\\u0000-\u001f]*$/, 'must be the name of a file in the folder')
  .openapi({ description: 'The name of a file in the folder; the newest one by default.' });

export const dryRunConnectionOperation = operation({
  id: 'dryRunConnection',
  method: 'post',
  path: '/banks/accounts/{id}/dry-run',
  tag: 'Connections',
  summary: 'Show what a file would import, without recording anything',
  description:
    'Of a connection to a folder of statement files: the newest file, or the one that is named, as it would be ' +
    'imported with the credentials that are stored now. Like a setup, it opens the folder for the company. Since it ' +
    'shows rows, it needs the scope `transactions:read` as well.',
  access: 'connections:write',
  alsoNeeds: 'transactions:read',
  costly: true,
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  body: z.strictObject({ file: fileName.optional() }),
  bodyOptional: true,
  result: dryRunSchema,
  errors: [
    'BANK_NOT_SUPPORTED',
    'CONNECTION_ARCHIVED',
    'CREDENTIALS_MISSING',
    'CREDENTIALS_UNREADABLE',
    'DRY_RUN_NOT_SUPPORTED',
    'STATEMENT_FILE_BEING_WRITTEN',
    'STATEMENT_FILE_NOT_FOUND',
    'STATEMENT_FOLDER_NOT_GRANTED',
  ],
  handle: async ({ services, params, body, context, signal }) => {
    const { state } = await loadConnection(context, params.id);
    if (state.opened === null) throw new ApiError('CONNECTION_NOT_FOUND');
    if (state.archived) throw new ApiError('CONNECTION_ARCHIVED');
    const { bankCode, environment } = state.opened;
    const provider = services.providers.get(bankCode);
    if (provider === undefined) throw new ApiError('BANK_NOT_SUPPORTED');
    if (provider.dryRun === undefined) throw new ApiError('DRY_RUN_NOT_SUPPORTED');
    const { tenantId } = context;
    const session: ProviderSession = {
      tenantId,
      companyId: context.companyId ?? '',
      connectionId: params.id,
      environment,
      credentials: await credentialsOf(services, tenantId, params.id),
      nowMs: services.clock.now(),
      signal: AbortSignal.any([signal, services.stopping, AbortSignal.timeout(LONGEST_MS)]),
      countRequest: () => {},
      exchanged: () => {},
    };
    try {
      return { status: 200, result: dryRunResource(await provider.dryRun(session, body.file ?? null)) };
    } catch (error) {
      throw failureOf(error);
    }
  },
});

async function credentialsOf(services: HttpServices, tenantId: string, id: string): Promise<Record<string, unknown>> {
  try {
    const stored = await services.vault.get(tenantId, id);
    if (stored === undefined) throw new ApiError('CREDENTIALS_MISSING');
    return { ...stored.fields };
  } catch (error) {
    throw error instanceof VaultError ? new ApiError('CREDENTIALS_UNREADABLE') : error;
  }
}

const ERRORS: Readonly<Record<string, ErrorCode>> = {
  STATEMENT_FILE_BEING_WRITTEN: 'STATEMENT_FILE_BEING_WRITTEN',
  STATEMENT_FILE_NOT_FOUND: 'STATEMENT_FILE_NOT_FOUND',
  STATEMENT_FOLDER_NOT_GRANTED: 'STATEMENT_FOLDER_NOT_GRANTED',
};

function failureOf(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error;
  const code = ERRORS[error.code];
  if (code !== undefined) return new ApiError(code);
  return error.kind === 'transient' ? new ApiError('DEPENDENCY_UNAVAILABLE') : error;
}
