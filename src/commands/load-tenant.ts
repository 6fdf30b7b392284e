import type { EventData } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import type { CommandContext } from './command.ts';

/** "" for a tenant that was never created. */
export async function tenantName({ log, tenantId }: Pick<CommandContext, 'log' | 'tenantId'>): Promise<string> {
  const [created] = await log.readStream(streamName('tenant', tenantId, tenantId), { limit: 1 });
  return (created?.data as EventData<'TenantCreated'> | undefined)?.name ?? '';
}
