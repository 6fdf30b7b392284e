import { history } from '../projections/history.ts';
import { seals } from '../projections/seals.ts';
import { entryOfEvent } from '../queries/history.ts';
import type { Reader } from '../queries/reader.ts';
import { leafOfEvent, type SealedForm, sealedForm } from './leaf.ts';
import { auditPath } from './merkle.ts';
import type { Seal } from './seal.ts';
import { type HistorySource, readSeal, tenantEvents } from './tenant-events.ts';

/** That an event is among those a seal covers, for anyone who has the seal and RFC 6962. */
export type EventProof = {
  readonly event: SealedForm;
  readonly position: string;
  readonly leafHash: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  /** Hashes from the leaf's sibling up to the root's child. */
  readonly auditPath: readonly string[];
  readonly seal: Seal;
};

/** `unknown`: no such event for this reader; `unsealed`: no seal covers it yet. */
export async function proveEvent(
  source: HistorySource,
  reader: Reader,
  eventId: string,
): Promise<EventProof | 'unknown' | 'unsealed'> {
  const entry = await entryOfEvent(await source.readModels.readable(history), reader, eventId);
  if (entry === undefined) return 'unknown';
  const [covering] = await source.readModels.of(seals).find({
    filter: [
      { field: 'tenantId', op: 'eq', value: reader.tenantId },
      { field: 'toPosition', op: 'gte', value: entry.position },
    ],
    sort: [{ field: 'toPosition', direction: 'asc' }],
    limit: 1,
  });
  const seal = covering === undefined ? null : await readSeal(source.log, reader.tenantId, covering.ordinal);
  if (seal === null) return 'unsealed';
  const before = seal.ordinal === 1 ? null : await readSeal(source.log, reader.tenantId, seal.ordinal - 1);
  const leaves: Buffer[] = [];
  let proved: { form: SealedForm; index: number } | undefined;
  const range = { after: before?.toPosition ?? '', to: seal.toPosition, make: leafOfEvent };
  for await (const { entry: at, event, made } of tenantEvents(source, reader.tenantId, range)) {
    if (event === undefined || made === undefined) continue;
    if (at.eventId === eventId) proved = { form: sealedForm(event), index: leaves.length };
    leaves.push(made);
  }
  const leaf = proved === undefined ? undefined : leaves[proved.index];
  if (proved === undefined || leaf === undefined) return 'unknown';
  return {
    event: proved.form,
    position: entry.position,
    leafHash: leaf.toString('hex'),
    leafIndex: proved.index,
    treeSize: leaves.length,
    auditPath: auditPath(leaves, proved.index).map((node) => node.toString('hex')),
    seal,
  };
}
