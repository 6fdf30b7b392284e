import type { EventData } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import { computedId } from '../shared/ids.ts';
import { type CommandContext, metadataFor } from './command.ts';

/**
 * Claims a physical account for the context's company, unless another company of the tenant has it; true when it is the
 * company's. Two companies at once meet in one stream, which only one of them starts. @throws LogUnavailable
 */
export async function claimSubAccount(
  context: CommandContext,
  claim: EventData<'SubAccountClaimed'>,
): Promise<boolean> {
  const { log, tenantId, companyId } = context;
  const stream = streamName('subAccount', tenantId, claim.subAccountKey);
  const owner = async (): Promise<string | null | undefined> =>
    (await log.readStream(stream, { limit: 1 }))[0]?.metadata.companyId;
  const known = await owner();
  if (known !== undefined) return known === companyId;
  const type = 'SubAccountClaimed';
  const id = computedId('claimed', stream, companyId ?? '');
  const event = { id, type, data: claim, metadata: metadataFor(context, type, companyId) };
  const { outcome } = await log.append({ stream, expected: 'no-stream', events: [event] });
  return outcome === 'appended' || (await owner()) === companyId;
}
