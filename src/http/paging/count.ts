import type { countSchema } from '../core/envelope.ts';
import type { z } from '../core/zod.ts';

type Counted = { readonly count?: z.output<typeof countSchema> };

/** Counting ends here, so that its cost does not grow with what there is. */
export const MOST_COUNTED = 10_000;

/**
 * The member `count` of a list, where `count=true` asks for it; else nothing.
 * @param ask counts the list's items, exactly up to the given number
 */
export async function countedWhere(
  { count }: { readonly count?: boolean },
  ask: (most: number) => Promise<number>,
): Promise<Counted> {
  if (count !== true) return {};
  const found = await ask(MOST_COUNTED + 1);
  return { count: { value: Math.min(found, MOST_COUNTED), atLeast: found > MOST_COUNTED } };
}
