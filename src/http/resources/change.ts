import { logPosition } from '../core/parameters.ts';
import { z } from '../core/zod.ts';
import { assignmentSchema } from './assignment.ts';
import { connectionSchema } from './connection.ts';
import { instant } from './instants.ts';
import { ruleSchema } from './rule.ts';
import { runSchema } from './run.ts';
import { scheduleSchema } from './schedule.ts';
import { syncSchema } from './sync.ts';
import { transactionSchema } from './transaction.ts';

function changeOf<Type extends string, Resource extends z.ZodType>(type: Type, resource: Resource) {
  return z.strictObject({
    type: z.literal(type),
    id: z.string(),
    kind: z.enum(['created', 'updated', 'withdrawn']).openapi({
      description:
        '`created`: it was not there when the walk last showed everything. `withdrawn`: a transaction that the bank ' +
        'withdrew, an archived rule or connection, a deleted schedule.',
    }),
    position: logPosition,
    at: instant.openapi({ description: 'When it last changed.' }),
    resource,
  });
}

/** `resource` is what the resource's own GET answers now. */
export const changeSchema = z
  .discriminatedUnion('type', [
    changeOf('assignment', assignmentSchema),
    changeOf('connection', connectionSchema),
    changeOf('rule', ruleSchema),
    changeOf('run', runSchema),
    changeOf(
      'schedule',
      scheduleSchema.nullable().openapi({ description: 'Null for a deleted one, which has no GET.' }),
    ),
    changeOf('sync', syncSchema),
    changeOf('transaction', transactionSchema),
  ])
  .openapi('Change');

export type ChangeResource = z.input<typeof changeSchema>;
