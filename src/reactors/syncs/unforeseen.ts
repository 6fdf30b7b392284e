import { ConcurrencyError } from '../../commands/command.ts';
import { LogUnavailable } from '../../log/log.ts';
import { ProviderError } from '../../providers/bank-provider.ts';
import { ReadStoreUnavailable } from '../../readstore/read-store.ts';
import type { Logger } from '../reactor.ts';

/**
 * The failure recorded for an error that ended the work: the provider's own or, for an unforeseen one, a code that says
 * so, since a retry would only repeat it. @param mask for texts that may contain credentials @throws the error itself
 * when it is transient: a store that does not answer, a worker that was stopped or overtaken
 */
export function recordable(
  error: unknown,
  signal: AbortSignal,
  logger: Logger,
  work: string,
  mask: (text: string) => string = (text) => text,
): ProviderError {
  if (error instanceof ProviderError) return error;
  const passing =
    signal.aborted ||
    error instanceof LogUnavailable ||
    error instanceof ReadStoreUnavailable ||
    error instanceof ConcurrencyError;
  if (passing) throw error;
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logger.error({ error: mask(trace), work }, 'work failed unexpectedly');
  return new ProviderError('permanent', 'SYNC_FAULT', 'the work failed unexpectedly; see the log of the service');
}
