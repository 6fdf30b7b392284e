import type { EventData } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import type { CommandContext } from './command.ts';

/** The automation status with which the company's rows start: `legacy` while its automation is off. */
export async function automationOf(
  context: Pick<CommandContext, 'log' | 'tenantId'>,
  companyId: string,
): Promise<'pending' | 'legacy'> {
  const [created] = await context.log.readStream(streamName('company', context.tenantId, companyId), { limit: 1 });
  const company = created?.data as EventData<'CompanyCreated'> | undefined;
  return company?.automation === false ? 'legacy' : 'pending';
}
