import type { Refused } from '../../commands/command.ts';
import { refusalError } from './errors.ts';

/** @throws ApiError the refusal as the caller sees it */
export function requireAccepted<Accepted extends { readonly accepted: true }>(outcome: Accepted | Refused): Accepted {
  if (!outcome.accepted) throw refusalError(outcome);
  return outcome;
}
