import { ApiError } from './errors.ts';
import type { House } from './house.ts';

const READ_MODEL_WAIT_MS = 5_000;

/** Waits until the read models have reached the position, 5 s at most. @throws ApiError READ_MODEL_BEHIND */
export async function reached(house: House, names: readonly string[], position: string): Promise<void> {
  if (await house.waitFor(names, position, READ_MODEL_WAIT_MS)) return;
  throw new ApiError('READ_MODEL_BEHIND', {}, { 'retry-after': '1' });
}
