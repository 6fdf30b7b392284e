import type { EventData, TenancyFact } from '../events/registry.ts';
import { type Category, streamName } from '../log/streams.ts';
import { computedId } from '../shared/ids.ts';
import { type CommandContext, metadataFor } from './command.ts';

/** Appends the first fact of a new stream; repeated after a crash, it is the same append and adds nothing. */
async function begin(context: CommandContext, category: Category, id: string, fact: TenancyFact): Promise<string> {
  const stream = streamName(category, context.tenantId, id);
  const companyId = category === 'company' ? id : null;
  const event = { id: computedId('begun', stream), ...fact, metadata: metadataFor(context, fact.type, companyId) };
  const appended = await context.log.append({ stream, expected: 'no-stream', events: [event] });
  if (appended.outcome === 'appended') return appended.position;
  const [first] = await context.log.readStreamPositions(stream, { limit: 1 });
  return first?.position ?? '';
}

export function createTenant(context: CommandContext, data: EventData<'TenantCreated'>): Promise<string> {
  return begin(context, 'tenant', context.tenantId, { type: 'TenantCreated', data });
}

export function createCompany(context: CommandContext, data: EventData<'CompanyCreated'>): Promise<string> {
  return begin(context, 'company', data.companyId, { type: 'CompanyCreated', data });
}

export function createUser(context: CommandContext, data: EventData<'UserCreated'>): Promise<string> {
  return begin(context, 'user', data.userId, { type: 'UserCreated', data });
}

export function createApiKey(context: CommandContext, data: EventData<'ApiKeyCreated'>): Promise<string> {
  return begin(context, 'apiKey', data.apiKeyId, { type: 'ApiKeyCreated', data });
}
