import { withMoment } from '../../frame/as-of-moment.ts';
import { to } from '../../router.ts';

/** The transactions behind a figure. */
export function rowsOf(filter: Readonly<Record<string, string>>): string {
  return withMoment(`${to('transactions')}?${new URLSearchParams(filter)}`);
}
