import { type BankConnectionState, bankConnection, decideOpenConnection } from '../deciders/bank-connection.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';

export function openConnection(
  context: CommandContext,
  connection: { bankCode: string; environment: 'demo' | 'production'; title: string },
): Promise<Outcome<BankConnectionState>> {
  const accountId = context.newId();
  const openedAt = isoTime(context.clock.now());
  return execute(context, {
    stream: streamName('bankConnection', context.tenantId, accountId),
    decider: bankConnection,
    notFound: 'CONNECTION_NOT_FOUND',
    decide: () => decideOpenConnection({ accountId, openedAt, ...connection }),
  });
}
