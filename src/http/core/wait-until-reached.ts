import { orAborted } from '../../shared/or-aborted.ts';
import { ApiError } from './errors.ts';
import type { HttpServices } from './http-services.ts';

const READ_MODEL_WAIT_MS = 5_000;

/**
 * Waits until the read models have reached the position, 5 s at most; while the log is away they will not, and nothing
 * waits. @throws ApiError READ_MODEL_BEHIND, LogUnavailable
 */
export async function waitUntilReached(
  services: HttpServices,
  names: readonly string[],
  position: string,
): Promise<void> {
  const down = services.logDown();
  const waiting = down.aborted ? Promise.resolve(false) : services.waitFor(names, position, READ_MODEL_WAIT_MS);
  const reached = await orAborted(waiting, down).catch((error: unknown) => {
    if (down.aborted) return false;
    throw error;
  });
  if (reached || (down.aborted && (await haveReached(services, names, position)))) return;
  down.throwIfAborted();
  throw new ApiError('READ_MODEL_BEHIND', {}, { 'retry-after': '1' });
}

/**
 * Refuses to answer from a read model that is filled for the first time: a part of its rows would look like all of
 * them. @throws ApiError READ_MODEL_BEHIND
 */
export async function refusePartial(
  { partial }: Pick<HttpServices, 'partial'>,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0 || (await partial(names)).length === 0) return;
  throw new ApiError('READ_MODEL_BEHIND', {}, { 'retry-after': '5' });
}

async function haveReached(services: HttpServices, names: readonly string[], position: string): Promise<boolean> {
  const positions = await Promise.all(names.map(services.positionOf));
  return positions.every((at) => at >= position);
}
