import type { EventData, EventType } from '../events/registry.ts';
import type { RunResult } from '../events/rule-run.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

/** What a run did to one transaction, in the order in which the run processed it. */
export type RunMatchDocument = Document &
  RunResult & {
    readonly tenantId: string;
    readonly companyId: string;
    readonly runId: string;
    readonly ordinal: number;
    readonly at: string;
  };

/** More than a page can hold, so that ordinals ascend over all pages. */
const ORDINALS_A_PAGE = 10_000;

type Page = EventData<'RunPageDone'>;

/** The results of a page by document: each is looked up once, and a page has hundreds. */
const resultsOf = new WeakMap<Page, Map<string, RunResult & { readonly ordinal: number }>>();

function resultOf(page: Page, transactionId: string) {
  let results = resultsOf.get(page);
  if (results === undefined) {
    const first = page.page * ORDINALS_A_PAGE;
    results = new Map(
      page.results.map((result, index) => [result.transactionId, { ...result, ordinal: first + index }]),
    );
    resultsOf.set(page, results);
  }
  return results.get(transactionId);
}

const TAKES = ['RunPageDone'] as const satisfies readonly EventType[];

export const runMatches: Projection<RunMatchDocument, (typeof TAKES)[number]> = {
  name: 'run-matches',
  version: 1,
  takes: TAKES,
  keys(event) {
    const runId = parseStreamName(event.stream).id;
    const { results } = event.data;
    return results.map(({ transactionId }) => documentId(event.metadata.tenantId, runId, transactionId));
  },
  evolve(document, event, key) {
    const { tenantId, companyId } = event.metadata;
    const runId = parseStreamName(event.stream).id;
    const result = resultOf(event.data, key.slice(documentId(tenantId, runId, '').length));
    if (result === undefined) return document;
    return { _id: key, tenantId, companyId: companyId ?? '', runId, ...result, at: event.data.doneAt };
  },
  indexes: [{ fields: ['tenantId', 'runId', 'ordinal'] }],
};
