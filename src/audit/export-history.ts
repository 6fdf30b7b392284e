import { canonicalJson, sha256 } from '../shared/hash.ts';
import { openHistoryCheck } from './check-history.ts';
import { sealedForm } from './leaf.ts';
import { merkleRoot } from './merkle.ts';
import { fingerprintsOf, type SealingKey, sealHash } from './seal.ts';
import { type HistorySource, tenantEvents } from './tenant-events.ts';

/** The first line of an export. */
export type ExportHeader = {
  readonly format: 'bank-history';
  readonly version: 1;
  readonly tenantId: string;
  readonly publicKey: string;
  readonly toPosition: string;
};

/**
 * The last line: it states the number of events, seals those that no seal covers yet, and is signed, so that cutting
 * off the end is noticed.
 */
export type ExportFooter = {
  readonly end: true;
  readonly headerHash: string;
  readonly events: number;
  readonly lastSeal: number;
  readonly lastSealHash: string | null;
  readonly unsealedRoot: string;
  readonly unsealedFingerprints: string;
  readonly publicKey: string;
  readonly signature: string;
};

/** In characters: an event may have a mebibyte, and a hundred of them may follow each other. */
const CHUNK_LENGTH = 64 * 1024;

/**
 * A tenant's history up to a position as NDJSON: a header, each event in canonical JSON (RFC 8785) in log order, a
 * signed footer. The same position gives the same bytes. In memory are a part of it and, with 48 bytes each, the events
 * that no seal covers yet.
 * @throws Error when the log does not hold what the history lists; the export then ends without its footer
 */
export async function* exportHistory(
  source: HistorySource,
  key: SealingKey,
  tenantId: string,
  toPosition: string,
): AsyncIterable<string> {
  const header: ExportHeader = { format: 'bank-history', version: 1, tenantId, publicKey: key.publicKey, toPosition };
  const headerLine = canonicalJson(header);
  yield `${headerLine}\n`;
  const check = openHistoryCheck(null);
  let chunk = '';
  for await (const { entry, event } of tenantEvents(source, tenantId, { after: '', to: toPosition })) {
    if (event === undefined) throw new Error(`the log does not hold event ${entry.eventId} of ${entry.stream}`);
    const form = sealedForm(event);
    // A history with a fault is exported too, so that a check of the export finds the fault.
    check.take(form);
    chunk += `${canonicalJson(form)}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
  const last = check.lastSeal();
  const unsigned: Omit<ExportFooter, 'signature'> = {
    end: true,
    headerHash: sha256(headerLine),
    events: check.counts().events,
    lastSeal: last?.ordinal ?? 0,
    lastSealHash: last === null ? null : sealHash(last),
    unsealedRoot: merkleRoot(check.unsealedLeaves()).toString('hex'),
    unsealedFingerprints: fingerprintsOf(check.unsealedLeaves()),
    publicKey: key.publicKey,
  };
  yield `${canonicalJson({ ...unsigned, signature: key.sign(canonicalJson(unsigned)) })}\n`;
}
