import { CHANGE_TYPES, type ChangePage, type ChangePoint, changeFeeds } from '../../../queries/changes.ts';
import { expandedMember } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { expand, identifier, limitOf, listedIn, wholeNumber } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { sealChangeCursor } from '../../paging/change-cursor.ts';
import { changeSchema } from '../../resources/change.ts';
import { changeStream } from './change-stream.ts';
import { type ChangeWalk, nextChanges, openChangeWalk, startOfWalk } from './change-walk.ts';
import { holdRequest } from './held-request.ts';
import { shownChanges } from './shown-changes.ts';

/** The embedded store reads so many from an index at once. */
const MOST_IN_A_PAGE = 500;
const LONGEST_WAIT_SECONDS = 30;
const MOST_COMPANIES = 100;
const EVENT_STREAM = 'text/event-stream';

export const listChangesOperation = operation({
  id: 'listChanges',
  method: 'get',
  path: '/banks/changes',
  tag: 'Changes',
  summary: 'What came, changed or was withdrawn since a cursor, in the order of the last change',
  description:
    'Each with the resource as its own GET answers now. Keep `nextCursor` and pass it as `after`: it never expires, ' +
    'and nothing is left out, whatever changes meanwhile. A resource that changes during a walk comes again later. ' +
    'A type needs the read scope of its resource; without `types`, those the caller may read are shown. ' +
    'With `accept: text/event-stream` the same as a stream of events: `id` is the cursor after the event, `data` the ' +
    'item; a stream ends after five minutes at the latest, and `Last-Event-ID` continues it.',
  access: 'caller',
  query: z.strictObject({
    after: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .openapi({
        description:
          '`nextCursor` of an earlier answer with the same `types` and `companies`; `now`: only what comes ' +
          'from here on. Without it, everything from the beginning.',
      }),
    types: listedIn(z.enum(CHANGE_TYPES), CHANGE_TYPES.length, CHANGE_TYPES).optional(),
    companies: listedIn(identifier, MOST_COMPANIES).optional(),
    limit: wholeNumber(1, MOST_IN_A_PAGE)
      .optional()
      .openapi({ type: 'integer', minimum: 1, maximum: MOST_IN_A_PAGE, default: 50 }),
    ...expand,
    wait: wholeNumber(0, LONGEST_WAIT_SECONDS).optional().openapi({
      type: 'integer',
      minimum: 0,
      maximum: LONGEST_WAIT_SECONDS,
      default: 0,
      description: 'Seconds for which an answer without items is held back until there is one.',
    }),
  }),
  result: z.strictObject({
    items: z.array(changeSchema),
    nextCursor: z.string(),
    more: z.boolean().openapi({ description: 'Whether there is more now.' }),
    ...expandedMember,
  }),
  alsoMedia: EVENT_STREAM,
  errors: ['CURSOR_INVALID'],
  reads: CHANGE_TYPES.map((type) => changeFeeds[type].projection),
  handle: async (call) => {
    const { services, query, signal, header } = call;
    const walk = await openChangeWalk(call);
    const { tenantId } = walk;
    const isStream = header('accept')?.toLowerCase().includes(EVENT_STREAM) ?? false;
    const after = (isStream ? header('last-event-id') : undefined) || query.after;
    const from = await startOfWalk(walk, after);
    if (isStream) {
      const held = holdRequest(services, tenantId, signal);
      return {
        stream: changeStream(walk, from, held),
        headers: { 'content-type': EVENT_STREAM, 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      };
    }
    const page = await pageWithin(walk, from, limitOf(query), query.wait ?? 0, signal);
    const items = await shownChanges(services, page.items);
    const nextCursor = sealChangeCursor(services.cursorKey, tenantId, walk.filter, page.next);
    return { status: 200, result: { items, nextCursor, more: page.more } };
  },
});

/** The next page; an empty one only when the seconds are up, the client is gone or the service stops. */
async function pageWithin(
  walk: ChangeWalk,
  from: ChangePoint,
  limit: number,
  seconds: number,
  client: AbortSignal,
): Promise<ChangePage> {
  if (seconds === 0) return nextChanges(walk, { after: from, limit, signal: client });
  const endsAtMs = performance.now() + seconds * 1_000;
  const held = holdRequest(walk.services, walk.tenantId, client);
  try {
    for (let after = from; ; ) {
      const page = await nextChanges(walk, { after, limit, signal: client });
      const leftMs = endsAtMs - performance.now();
      if (page.items.length > 0 || leftMs <= 0 || held.signal.aborted) return page;
      after = page.next;
      await held.changed(leftMs);
    }
  } finally {
    held.release();
  }
}
