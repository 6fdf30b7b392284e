import { ApiError } from './errors.ts';
import type { HttpServices } from './http-services.ts';

const READ_MODEL_WAIT_MS = 5_000;

/** Waits until the read models have reached the position, 5 s at most. @throws ApiError READ_MODEL_BEHIND */
export async function waitUntilReached(
  services: HttpServices,
  names: readonly string[],
  position: string,
): Promise<void> {
  if (await services.waitFor(names, position, READ_MODEL_WAIT_MS)) return;
  throw new ApiError('READ_MODEL_BEHIND', {}, { 'retry-after': '1' });
}
