import type { Position } from '@eventstore/db-client';
import { LOG_START } from '../log.ts';

/** Digits of the largest 64-bit number: as wide as any place in the server's log can become. */
const WIDTH = 20;
const TEXT = /^(\d{20})-(\d{20})$/;
/**
 * What servers say for "no place": those before 22.6 of an event read from its stream, newer ones in some checkpoints.
 */
const UNTOLD = 0xffff_ffff_ffff_ffffn;

/** `commit-prepare`, both zero-padded, so that comparing the texts compares the places. */
export function positionText({ commit, prepare }: Position): string {
  return `${String(commit).padStart(WIDTH, '0')}-${String(prepare).padStart(WIDTH, '0')}`;
}

/** The inverse; undefined for LOG_START. @throws RangeError for a text this log did not give out */
export function parsePosition(text: string): Position | undefined {
  if (text === LOG_START) return undefined;
  const [, commit, prepare] = TEXT.exec(text) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new RangeError(`not a position of this log: ${text.slice(0, 60)}`);
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
}

/** The place the server told, as text; undefined when it told none. */
export function toldPosition(position: Position | undefined): string | undefined {
  return position === undefined || position.commit === UNTOLD ? undefined : positionText(position);
}
