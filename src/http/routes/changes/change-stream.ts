import { type ChangePoint, pointAfter } from '../../../queries/changes.ts';
import { sealChangeCursor } from '../../paging/change-cursor.ts';
import { type ChangeWalk, nextChanges } from './change-walk.ts';
import type { HeldRequest } from './held-request.ts';
import { shownChanges } from './shown-changes.ts';

const CHANGES_A_CHUNK = 200;
const COMMENT_EVERY_MS = 15_000;
/** Credentials are checked when a stream begins: whoever is still allowed connects again. */
const LONGEST_MS = 5 * 60_000;
const RECONNECT_AFTER_MS = 1_000;

/**
 * The walk as server-sent events, each with the cursor after it as its id. It ends after some minutes, when the request
 * is released, and when the service stops; nothing is read ahead of the client.
 */
export function changeStream(walk: ChangeWalk, from: ChangePoint, held: HeldRequest): ReadableStream<Uint8Array> {
  const { services, tenantId, filter } = walk;
  const encoder = new TextEncoder();
  const endsAtMs = performance.now() + LONGEST_MS;
  const idOf = (at: ChangePoint): string => `id: ${sealChangeCursor(services.cursorKey, tenantId, filter, at)}\n`;
  let point = from;
  let begun = false;
  let commentAtMs = 0;

  /** Null when the stream is over. */
  async function nextText(): Promise<string | null> {
    if (!begun) {
      begun = true;
      commentAtMs = performance.now() + COMMENT_EVERY_MS;
      return `retry: ${RECONNECT_AFTER_MS}\n${idOf(point)}\n`;
    }
    while (!held.signal.aborted && performance.now() < endsAtMs) {
      const page = await nextChanges(walk, { after: point, limit: CHANGES_A_CHUNK, signal: held.signal });
      const before = point;
      point = page.next;
      if (page.items.length > 0) {
        commentAtMs = performance.now() + COMMENT_EVERY_MS;
        const resources = await shownChanges(services, page.items);
        return page.items
          .map((change, at) => {
            const isLast = at === page.items.length - 1;
            const id = idOf(isLast ? page.next : pointAfter(change, { tenantId }, before));
            return `${id}data: ${JSON.stringify(resources[at])}\n\n`;
          })
          .join('');
      }
      const quietMs = commentAtMs - performance.now();
      if (quietMs <= 0) {
        commentAtMs = performance.now() + COMMENT_EVERY_MS;
        return ':\n\n';
      }
      await held.changed(quietMs);
    }
    return null;
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const text = await nextText();
          if (text !== null) return controller.enqueue(encoder.encode(text));
          held.release();
          controller.close();
        } catch (error) {
          held.release();
          if (held.signal.aborted) controller.close();
          else controller.error(error);
        }
      },
      cancel: held.release,
    },
    { highWaterMark: 0 },
  );
}
