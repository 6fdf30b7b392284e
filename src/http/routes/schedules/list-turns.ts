import { nextTurn } from '../../../deciders/turns.ts';
import { isoTime } from '../../../shared/clock.ts';
import { operation } from '../../core/operation.ts';
import { moment, wholeNumber } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { instant } from '../../resources/instants.ts';
import { scheduleFields } from './schedule-of.ts';

const DEFAULT_TURNS = 10;
const MOST_TURNS = 50;
/** Lines such as 29 February on a Monday fall due once in decades. */
const FURTHEST_MS = 10 * 366 * 86_400_000;

export const listTurnsOperation = operation({
  id: 'listScheduleTurns',
  method: 'get',
  path: '/banks/schedules/turns',
  tag: 'Schedules',
  summary: 'The next turns that a cron line or an interval would have',
  description:
    'Nothing is stored: for showing what a schedule does before it is created or changed. An interval counts from ' +
    '`from`. Turns more than ten years ahead are left out.',
  access: 'schedules:read',
  query: z
    .strictObject({
      cron: scheduleFields.cron.optional(),
      everyMinutes: wholeNumber(1, 10_080).optional(),
      timezone: scheduleFields.timezone
        .default('UTC')
        .openapi({ type: 'string', maxLength: 64, description: 'IANA; UTC unless given.', example: 'Europe/Istanbul' }),
      from: moment.optional(),
      count: wholeNumber(1, MOST_TURNS).optional().openapi({ description: 'How many turns at most; 10 unless given.' }),
    })
    .refine(({ cron, everyMinutes }) => (cron === undefined) !== (everyMinutes === undefined), {
      path: ['cron'],
      message: 'exactly one of cron and everyMinutes is required',
    }),
  result: z.strictObject({ turns: z.array(instant) }),
  handle: async ({ services, query }) => {
    const { cron = null, everyMinutes = null, timezone, count = DEFAULT_TURNS } = query;
    const from = query.from ?? isoTime(services.clock.now());
    const lastMs = Date.parse(from) + FURTHEST_MS;
    const timing = { cron, everyMinutes, timezone, anchorAt: from };
    const turns: string[] = [];
    let afterMs = Date.parse(from);
    while (turns.length < count) {
      const next = nextTurn(timing, afterMs);
      if (next === null || next > lastMs) break;
      turns.push(isoTime(next));
      afterMs = next;
    }
    return { status: 200, result: { turns } };
  },
});
