import { hash } from 'node:crypto';
import type { RecordedEvent } from '../events/event.ts';
import { canonicalJson } from '../shared/hash.ts';

/**
 * What is proved about an event: everything that was written and when the log recorded it, as stored and not as upcast
 * today. Its position is left out, since a restored log assigns new ones; the order of the leaves replaces it.
 */
export type SealedForm = {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly recordedAt: string;
  readonly metadata: unknown;
  readonly data: unknown;
};

export function sealedForm({
  id,
  type,
  stream,
  revision,
  recordedAt,
  metadata,
  data,
  asStored,
}: RecordedEvent): SealedForm {
  const stored = asStored ?? { schemaVersion: metadata.schemaVersion, data };
  return {
    id,
    type,
    stream,
    revision,
    recordedAt,
    metadata: { ...metadata, schemaVersion: stored.schemaVersion },
    data: stored.data,
  };
}

/** The leaf of RFC 6962, 2.1: SHA-256 of a zero byte and the canonical JSON (RFC 8785) of the form. */
export function leafOf(form: SealedForm): Buffer {
  return hash('sha256', Buffer.concat([LEAF, Buffer.from(canonicalJson(form))]), 'buffer');
}

export function leafOfEvent(event: RecordedEvent): Buffer {
  return leafOf(sealedForm(event));
}

const LEAF = Buffer.of(0);
