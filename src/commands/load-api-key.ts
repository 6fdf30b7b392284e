import { type ApiKeyState, apiKey, generationsInForce } from '../deciders/api-key.ts';
import type { RecordedEvent } from '../events/event.ts';
import type { EventLog } from '../log/log.ts';
import { streamName } from '../log/streams.ts';
import { fold } from './stream-state.ts';

export type LoadedApiKey = ApiKeyState & {
  readonly events: readonly RecordedEvent[];
  /** Of the secrets that are valid now, the newest first; none for a key that cannot be used. */
  readonly inForce: readonly number[];
};

/** The key as the log has it, which a read model may not have yet. */
export async function loadApiKey(
  log: EventLog,
  tenantId: string,
  apiKeyId: string,
  nowMs: number,
): Promise<LoadedApiKey> {
  const events = await log.readStreamPositions(streamName('apiKey', tenantId, apiKeyId));
  const state = fold(apiKey, events);
  return { ...state, events, inForce: generationsInForce(state, nowMs) };
}
