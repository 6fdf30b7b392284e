import {
  type BankConnectionOutcome,
  type BankConnectionState,
  bankConnection,
  decideArchiveConnection,
  decideChangeConnection,
  endSetup as end,
  noteAccounts as note,
  replaceCredentials as replace,
  requestSetup as request,
} from '../deciders/bank-connection.ts';
import type { SubAccount } from '../events/bank-connection.ts';
import type { BankConnectionFact } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';
import { type HeldStream, holdStream } from './held-stream.ts';
import { fold } from './stream-state.ts';

type Done = Promise<Outcome<BankConnectionState>>;

function onConnection(
  context: CommandContext,
  accountId: string,
  decide: (state: BankConnectionState, now: string) => BankConnectionOutcome,
): Done {
  const now = isoTime(context.clock.now());
  return execute(context, {
    stream: streamName('bankConnection', context.tenantId, accountId),
    decider: bankConnection,
    notFound: 'CONNECTION_NOT_FOUND',
    decide: (state) => decide(state, now),
  });
}

export function changeConnection(
  context: CommandContext,
  accountId: string,
  wanted: { title?: string; enabled?: boolean },
): Done {
  return onConnection(context, accountId, (state, changedAt) =>
    decideChangeConnection(state, { ...wanted, changedAt }),
  );
}

export function archiveConnection(context: CommandContext, accountId: string): Done {
  return onConnection(context, accountId, decideArchiveConnection);
}

/** Records that credentials were replaced; the credentials themselves are in the vault and never passed here. */
export function replaceCredentials(context: CommandContext, accountId: string, fingerprint: string): Done {
  return onConnection(context, accountId, (state, replacedAt) => replace(state, { fingerprint, replacedAt }));
}

export function requestSetup(context: CommandContext, accountId: string, needsCredentials: boolean): Done {
  const setupId = context.newId();
  return onConnection(context, accountId, (state, requestedAt) =>
    request(state, { setupId, requestedAt, needsCredentials }),
  );
}

export function endSetup(
  context: CommandContext,
  accountId: string,
  fact: Extract<BankConnectionFact, { type: 'ConnectionSetUp' | 'ConnectionSetupFailed' }>,
): Done {
  return onConnection(context, accountId, (state) => end(state, fact));
}

export function noteAccounts(
  context: CommandContext,
  accountId: string,
  seen: { syncId: string; subAccounts: SubAccount[] },
): Done {
  return onConnection(context, accountId, (state, seenAt) => note(state, { ...seen, seenAt }));
}

export type HeldConnection = HeldStream<BankConnectionState, BankConnectionFact>;

/** The connection in the hands of a worker of its company. @throws LogUnavailable */
export function holdConnection(context: CommandContext, accountId: string): Promise<HeldConnection> {
  return holdStream(context, streamName('bankConnection', context.tenantId, accountId), bankConnection);
}

/**
 * The connection as the log has it now. A missing stream, or one of another company, folds to a state that was never
 * opened.
 */
export async function loadConnection(
  context: Pick<CommandContext, 'log' | 'tenantId' | 'companyId'>,
  accountId: string,
): Promise<{ state: BankConnectionState; companyId: string | null }> {
  const events = await context.log.readStream(streamName('bankConnection', context.tenantId, accountId));
  const companyId = events[0]?.metadata.companyId ?? null;
  const foreign = context.companyId !== null && companyId !== context.companyId;
  const visible = foreign ? [] : events;
  return { state: fold(bankConnection, visible), companyId };
}
