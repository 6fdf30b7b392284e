import {
  beginSession as begin,
  decideRefreshSession,
  endSession as end,
  type SessionOutcome,
  type SessionState,
  session,
} from '../deciders/session.ts';
import { streamName } from '../log/streams.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';

type Done = Promise<Outcome<SessionState>>;

function onSession(
  context: CommandContext,
  sessionId: string,
  decide: (state: SessionState, nowMs: number) => SessionOutcome,
): Done {
  return execute(
    { ...context, companyId: null },
    {
      stream: streamName('session', context.tenantId, sessionId),
      decider: session,
      notFound: 'AUTHENTICATION_INVALID',
      decide: (state) => decide(state, context.clock.now()),
    },
  );
}

export function beginSession(context: CommandContext, of: { userId: string; userAgent?: string }): Done {
  const sessionId = context.newId();
  return onSession(context, sessionId, (_, nowMs) => begin({ ...of, sessionId, nowMs }));
}

/** Also accepted where the token was used before and the session therefore ended: the state says so. */
export function refreshSession(
  context: CommandContext,
  { sessionId, generation, forgivenMs }: { sessionId: string; generation: number; forgivenMs: number },
): Done {
  return onSession(context, sessionId, (state, nowMs) => decideRefreshSession(state, generation, nowMs, forgivenMs));
}

export function endSession(context: CommandContext, sessionId: string): Done {
  return onSession(context, sessionId, end);
}
