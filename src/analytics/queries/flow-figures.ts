import type { Group } from '../groups.ts';
import type { Row } from '../query.ts';

/** The figures of queries that show incoming and outgoing amounts and the number of rows. */
export function flowFigures(group: Group): Row {
  return { inflow: group.money('inflow'), outflow: group.money('outflow'), count: group.count('count') };
}
