import { z } from 'zod';
import { NOT_AN_OBJECT } from '../credentials.ts';

/**
 * When a step takes effect. `page` is the page's number in its window, from 1. `request` counts this connection's
 * requests of the operation since the process started or the script was replaced, repeated ones included, from 1.
 * `account` narrows to one currency.
 */
const place = {
  account: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  request: z.int().min(1).optional(),
};
const onAccounts = z.strictObject({ operation: z.literal('accounts'), request: place.request });
const onPage = z.strictObject({ operation: z.literal('page'), page: z.int().min(1).optional(), ...place });

/**
 * How often a failure happens: counted from its `request` on or, without one, for each page of each window separately.
 */
const attempts = z.int().min(1).max(1_000_000).optional();
const anywhere = z.union([
  z.strictObject({ ...onAccounts.shape, attempts }),
  z.strictObject({ ...onPage.shape, attempts }),
]);
const count = z.int().min(1).max(500);

const step = z.discriminatedUnion('do', [
  z.strictObject({ at: anywhere, do: z.literal('time-out') }),
  z.strictObject({ at: anywhere, do: z.literal('unavailable') }),
  z.strictObject({ at: anywhere, do: z.literal('rate-limit'), retryAfterMs: z.int().min(0).max(86_400_000) }),
  z.strictObject({ at: anywhere, do: z.literal('reject-credentials') }),
  /** The page is returned, and then once more as the next page. */
  z.strictObject({ at: onPage, do: z.literal('repeat-page') }),
  /** The page holds each of its rows with an id twice. */
  z.strictObject({ at: onPage, do: z.literal('send-twice') }),
  z.strictObject({ at: onPage, do: z.literal('reorder') }),
  /**
   * The first rows of the page that have an id are missing and their ids are reported as withdrawn; the balances stay
   * as they were, so that the gap is detected.
   */
  z.strictObject({ at: onPage, do: z.literal('withdraw'), count }),
  /**
   * The first rows of the page that have an id are returned with the same id, another amount and another description.
   */
  z.strictObject({ at: onPage, do: z.literal('re-issue'), count }),
  z.strictObject({ at: onPage, do: z.literal('blank-ids') }),
  /** The list has another order, lacks its last account, and has an account in GBP that was not listed before. */
  z.strictObject({ at: onAccounts, do: z.literal('change-accounts') }),
]);

/**
 * The faults of a demo bank, and when they happen. Steps that change data depend on the script alone, so a script that
 * replaces another takes effect at the next sync (which requests the days before the last success again); failures are
 * counted, as `attempts` says (1 unless given).
 */
export const faultScript = z.strictObject({ steps: z.array(step).max(100) }, { error: NOT_AN_OBJECT });

export type FaultScript = z.infer<typeof faultScript>;
export type FaultStep = FaultScript['steps'][number];
export type FailureStep = Extract<FaultStep, { do: 'time-out' | 'unavailable' | 'rate-limit' | 'reject-credentials' }>;
export type DataStep = Exclude<FaultStep, FailureStep>;

export const NO_FAULTS: FaultScript = { steps: [] };

export function isFailure(faultStep: FaultStep): faultStep is FailureStep {
  return ['time-out', 'unavailable', 'rate-limit', 'reject-credentials'].includes(faultStep.do);
}
