import type { Projection } from '../../projections/projection.ts';
import type { HttpServices } from './http-services.ts';

const WAIT_MS = 5_000;

/**
 * Waits until a new resource can be used, to sign in or in a header. When the read models take longer, the answer is
 * still sent, since the resource exists.
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
