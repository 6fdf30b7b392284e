import { type ListThen, type Owned, readsOf } from '../../audit/lists-then.ts';
import { pageAsOf } from '../../audit/page-as-of.ts';
import type { Reader } from '../../queries/reader.ts';
import type { Filter, Sort } from '../../readstore/read-store.ts';
import type { HttpServices } from '../core/http-services.ts';
import { waitUntilReached } from '../core/wait-until-reached.ts';

const ROWS_A_PAGE = 1_000;
/** A page examines some thousand documents at most, whether or not it finds any. */
const MOST_PAGES = 10;

/**
 * The first documents of a list as it stood at a position, in pages that let other requests be answered in between. It
 * ends after so many pages, however much has changed since: `wasCut` says that more may follow.
 */
export function rowsThen<D extends Owned>(
  { services, reader }: { readonly services: HttpServices; readonly reader: Reader },
  list: ListThen<D>,
  question: { readonly filter: Filter; readonly sort: Sort; readonly position: string },
): { readonly rows: AsyncIterable<D>; readonly wasCut: () => boolean } {
  let isCut = false;
  async function* rows(): AsyncIterable<D> {
    await waitUntilReached(services, readsOf(list), question.position);
    let after: readonly (string | number)[] | null | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const asked = { list, ...question, limit: ROWS_A_PAGE, ...(after && { after }) };
      const found = await services.costlyRequests.pace(reader.tenantId, () => pageAsOf(services.log, reader, asked));
      yield* found.items;
      after = found.after;
      if (after === null) return;
    }
    isCut = true;
  }
  return { rows: rows(), wasCut: () => isCut };
}
