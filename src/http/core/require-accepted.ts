import type { Accepted, Outcome } from '../../commands/command.ts';
import { refusalError } from './errors.ts';

/** @throws ApiError the refusal as the caller sees it */
export function requireAccepted<State>(outcome: Outcome<State>): Accepted<State> {
  if (!outcome.accepted) throw refusalError(outcome);
  return outcome;
}
