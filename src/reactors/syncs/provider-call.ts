import { ProviderError } from '../../providers/bank-provider.ts';
import { orAborted } from '../../shared/or-aborted.ts';

/**
 * Limits the provider's time, whether or not it observes the signal. Anything it throws that is no ProviderError is a
 * fault of ours or of its library and ends the sync under a code of its own.
 * @throws ProviderError; the signal's reason when the work was stopped from outside
 */
export async function callProvider<Answer>(
  signal: AbortSignal,
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  // A timer of our own: that of AbortSignal.timeout would keep the answer in memory until it ends.
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const either = AbortSignal.any([signal, timeout.signal]);
  try {
    signal.throwIfAborted();
    return await orAborted(call(either), either);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.signal.aborted)
      throw new ProviderError('transient', 'PROVIDER_TIMEOUT', `no answer within ${timeoutMs} ms`);
    if (error instanceof ProviderError) throw error;
    const fault = new ProviderError('permanent', 'PROVIDER_FAULT', 'the connector failed unexpectedly');
    fault.cause = error;
    throw fault;
  } finally {
    clearTimeout(timer);
  }
}
