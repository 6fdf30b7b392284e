import { isInForce as isSessionInForce, type SessionState, session } from '../deciders/session.ts';
import { isInForce as isUserInForce, type UserState, user } from '../deciders/user.ts';
import type { RecordedEvent } from '../events/event.ts';
import { type EventLog, LOG_START } from '../log/log.ts';
import { streamName } from '../log/streams.ts';
import { fold } from './stream-state.ts';

const ENDS_SESSIONS: readonly string[] = ['UserPasswordReplaced', 'UserDisabled'];

export type LoadedUser = UserState & {
  readonly events: readonly RecordedEvent[];
  readonly inForce: boolean;
  /**
   * Every session begun before this log position is over: of the last event that ends sessions, LOG_START without one.
   */
  readonly sessionsEndedAt: string;
  /** When that event was recorded, epoch milliseconds; 0 without one. */
  readonly sessionsEndedAtMs: number;
};

/** The user as the log has it, which a read model may not have yet. */
export async function loadUser(log: EventLog, tenantId: string, userId: string): Promise<LoadedUser> {
  const events = await log.readStreamPositions(streamName('user', tenantId, userId));
  const state = fold(user, events);
  const ended = events.findLast(({ type }) => ENDS_SESSIONS.includes(type));
  return {
    ...state,
    events,
    inForce: isUserInForce(state),
    sessionsEndedAt: ended?.position ?? LOG_START,
    sessionsEndedAtMs: ended === undefined ? 0 : Date.parse(ended.recordedAt),
  };
}

export type LoadedSession = SessionState & {
  readonly events: readonly RecordedEvent[];
  readonly inForce: boolean;
  readonly beganPosition: string;
};

export async function loadSession(
  log: EventLog,
  tenantId: string,
  sessionId: string,
  nowMs: number,
): Promise<LoadedSession> {
  const events = await log.readStreamPositions(streamName('session', tenantId, sessionId));
  const state = fold(session, events);
  return { ...state, events, inForce: isSessionInForce(state, nowMs), beganPosition: events[0]?.position ?? LOG_START };
}

/** True when both are active and belong together, and no later change of the user has ended the session. */
export function isSignedIn(person: LoadedUser, signedIn: LoadedSession): boolean {
  return (
    person.inForce &&
    signedIn.inForce &&
    signedIn.session?.userId === person.user?.id &&
    signedIn.beganPosition > person.sessionsEndedAt
  );
}
