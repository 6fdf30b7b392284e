import type { Replay } from '../../audit/replays.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

export const replaySchema = z
  .strictObject({
    id: z.string(),
    companies: z.string(),
    status: z.enum(['pending', 'processing', 'completed', 'failed']),
    logPosition: z.string().openapi({ description: 'The log position up to which events are replayed.' }),
    processedEvents: z.int().min(0),
    totalEvents: z.int().min(0).nullable().openapi({ description: 'Null until they have been counted.' }),
    equal: z
      .boolean()
      .nullable()
      .openapi({ description: 'Whether all read models equal their replay; null until the replay has finished.' }),
    readModels: z.array(
      z.strictObject({
        name: z.string(),
        documents: z.int().min(0),
        liveDocuments: z.int().min(0),
        digest: z.string(),
        liveDigest: z.string(),
        changedSince: z.int().min(0).openapi({
          description:
            'Live documents that changed after the position; compared as they were then, where that can be determined.',
        }),
        equal: z.boolean(),
        differences: z.array(
          z.strictObject({
            documentId: z.string(),
            kind: z.enum(['missing', 'extra', 'different']),
            paths: z.array(z.string()),
          }),
        ),
      }),
    ),
    error: z.string().nullable(),
    requestedBy: z.string(),
    requestedAt: instant,
    startedAt: instant.nullable(),
    completedAt: instant.nullable(),
  })
  .openapi('Replay');

export function replayResource(replay: Replay): z.input<typeof replaySchema> {
  const { id, companyId, status, logPosition, processedEvents, totalEvents, readModels, error } = replay;
  const { requestedBy, requestedAt, startedAt, completedAt } = replay;
  return {
    id,
    companies: companyId,
    status,
    logPosition,
    processedEvents,
    totalEvents,
    equal: status === 'completed' ? readModels.every((one) => one.equal) : null,
    readModels: readModels.map((one) => ({
      ...one,
      differences: one.differences.map((difference) => ({ ...difference, paths: [...difference.paths] })),
    })),
    error,
    requestedBy,
    requestedAt,
    startedAt,
    completedAt,
  };
}
