import { LogUnavailable } from '../log/log.ts';
import type { Projection } from '../projections/projection.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Caller } from './caller.ts';
import type { Verified } from './known-callers.ts';

/**
 * The caller of an earlier verification, where the log is away and nothing is known to have changed since. Another
 * instance may still have its link: what it has done to the caller's key or user is in the read model.
 * @param error why the present verification failed; thrown again where no earlier one counts
 */
export async function readsWithoutLog<D extends Document>({
  error,
  known,
  readModels,
  subjects,
}: {
  readonly error: unknown;
  readonly known: Verified | null;
  readonly readModels: ReadModels;
  readonly subjects: Projection<D>;
}): Promise<Caller> {
  if (!(error instanceof LogUnavailable) || known === null) throw error;
  const { caller, position } = known;
  const subject = await readModels.of(subjects).get(documentId(caller.tenantId, caller.actor.id));
  if (subject === undefined || subject._position > position) throw error;
  return caller;
}
