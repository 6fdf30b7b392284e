import type { Projection } from '../../projections/projection.ts';
import type { HttpServices } from './http-services.ts';

const WAIT_MS = 5_000;

/**
 * Waits until what was made is found by those who use it next: by whoever signs in with it or names it in a header.
 * When the read models are further behind than that, the answer goes out all the same, since the thing is made.
 */
export async function waitUntilUsable(
  { waitFor }: HttpServices,
  foundIn: readonly Pick<Projection, 'name'>[],
  position: string | null,
): Promise<void> {
  if (position === null) return;
  const names = foundIn.map(({ name }) => name);
  await waitFor(names, position, WAIT_MS);
}
