import type { Outcome } from '../../../commands/command.ts';
import { loadWebhook } from '../../../commands/webhooks.ts';
import type { Scope } from '../../../events/tenancy.ts';
import type { WebhookType } from '../../../events/webhook.ts';
import type { Caller } from '../../../identity/caller.ts';
import { type WebhookDocument, webhooks } from '../../../projections/webhooks.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import type { Reader } from '../../../queries/reader.ts';
import { typesWanted } from '../../../webhooks/deliverable.ts';
import { isReceiverAllowed } from '../../../webhooks/receiver-url.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import type { Call } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { webhookResource, webhookTypeSchema } from '../../resources/webhook.ts';

const distinct = (items: readonly string[]): boolean => new Set(items).size === items.length;
const MOST_COMPANIES = 100;
const LONGEST_URL = 2_048;

/** What a person sets. */
export const webhookFields = {
  url: z.string().min(1).max(LONGEST_URL).openapi({ format: 'uri', example: 'https://example.com/hook' }),
  types: z
    .array(webhookTypeSchema)
    .min(1)
    .max(webhookTypeSchema.options.length)
    .refine(distinct, 'must not name a type twice')
    .openapi({ uniqueItems: true, description: '`["*"]` for all types.' }),
  companies: z
    .array(identifier)
    .min(1)
    .max(MOST_COMPANIES)
    .refine(distinct, 'must not name a company twice')
    .openapi({ uniqueItems: true, description: 'Whose events it gets; by default those of `x-company-id`.' }),
  description: z.string().max(500).nullable(),
};

/** What a type's messages hold needs the scope that reads it. */
const NEEDED: Readonly<Record<WebhookType, Scope>> = {
  'transaction.created': 'transactions:read',
  'transaction.withdrawn': 'transactions:read',
  'assignment.attached': 'transactions:read',
  'assignment.revoked': 'transactions:read',
  'connection.updated': 'connections:read',
  'sync.completed': 'connections:read',
  'sync.failed': 'connections:read',
  'run.completed': 'rules:read',
  'run.failed': 'rules:read',
  'rule.updated': 'rules:read',
  'schedule.paused': 'schedules:read',
};

type Asking = {
  readonly services: HttpServices;
  readonly caller: Caller;
};

/** A webhook must send nothing that its maker could not read. @throws ApiError PERMISSION_DENIED, COMPANY_NOT_FOUND */
export async function refuseSettings(
  { services, caller }: Asking,
  { types, companies }: { readonly types: readonly string[]; readonly companies: readonly string[] },
): Promise<void> {
  const lacking = typesWanted(types)
    .map((type) => NEEDED[type])
    .find((scope) => !caller.scopes.includes(scope));
  if (lacking !== undefined) throw new ApiError('PERMISSION_DENIED', { required: lacking });
  for (const companyId of companies) {
    if (!(await services.isCompany(caller.tenantId, companyId))) throw new ApiError('COMPANY_NOT_FOUND');
    if (!mayAllOf(caller, [companyId])) throw new ApiError('PERMISSION_DENIED', { required: 'company' });
  }
}

/** @throws ApiError WEBHOOK_URL_REFUSED */
export async function refuseReceiver({ webhooks: { policy } }: HttpServices, url: string): Promise<void> {
  if (!(await isReceiverAllowed(url, policy))) throw new ApiError('WEBHOOK_URL_REFUSED');
}

function mayAllOf({ companies }: Caller, wanted: readonly string[]): boolean {
  return companies === null || wanted.every((companyId) => companies.includes(companyId));
}

/**
 * A webhook whose events the caller may all see: another one does not exist for the caller. @throws ApiError
 * WEBHOOK_NOT_FOUND
 */
export async function webhookOf(call: { reader: Reader; caller: Caller }, id: string): Promise<WebhookDocument> {
  const webhook = await call.reader.get(webhooks, id);
  if (webhook === undefined || !mayAllOf(call.caller, webhook.companies)) throw new ApiError('WEBHOOK_NOT_FOUND');
  return webhook;
}

type Writing = Pick<Call<{ id: string }, never, never>, 'caller' | 'context' | 'params'>;

/** For a write: as the log has it now. @throws ApiError WEBHOOK_NOT_FOUND */
export async function webhookToChange({ caller, context, params }: Writing) {
  const state = await loadWebhook(context, params.id);
  const { settings } = state;
  if (settings === null || !mayAllOf(caller, settings.companies)) throw new ApiError('WEBHOOK_NOT_FOUND');
  return { ...state, settings };
}

/** The answer of every write to a webhook. @throws ApiError */
export function webhookReply<Status extends 200 | 201>(status: Status, outcome: Outcome<unknown>) {
  const { events, position } = requireAccepted(outcome);
  return { status, result: webhookResource(documentAfter(webhooks, events)), position };
}
