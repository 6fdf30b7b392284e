import type { Position } from '@eventstore/db-client';
import { LOG_START } from '../log.ts';

/** Digits of the largest 64-bit number: the widest that a position of the server can become. */
const WIDTH = 20;
const TEXT = /^(\d{20})-(\d{20})$/;
/**
 * How servers say "no position": those before 22.6 for an event read from its stream, newer ones in some checkpoints.
 */
const UNTOLD = 0xffff_ffff_ffff_ffffn;

/** `commit-prepare`, both zero-padded, so that text order is position order. */
export function positionText({ commit, prepare }: Position): string {
  return `${String(commit).padStart(WIDTH, '0')}-${String(prepare).padStart(WIDTH, '0')}`;
}

/** The inverse; undefined for LOG_START. @throws RangeError for a text that is no position of this log */
export function parsePosition(text: string): Position | undefined {
  if (text === LOG_START) return undefined;
  const [, commit, prepare] = TEXT.exec(text) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new RangeError(`not a position of this log: ${text.slice(0, 60)}`);
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
}

/** The position that the server sent, as text; undefined when it sent none. */
export function sentPosition(position: Position | undefined): string | undefined {
  return position === undefined || position.commit === UNTOLD ? undefined : positionText(position);
}
