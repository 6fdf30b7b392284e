import { LOG_START } from '../log.ts';

const WIDTH = 16;
const TEXT = /^\d{16}$/;

/** 16 digits, so that text order is position order. */
export function positionText(position: number): string {
  return String(position).padStart(WIDTH, '0');
}

/** The inverse; LOG_START is 0. @throws RangeError for a text that is not a position of this log */
export function parsePosition(text: string): number {
  if (text === LOG_START) return 0;
  if (!TEXT.test(text)) throw new RangeError(`not a position of this log: ${text.slice(0, 60)}`);
  return Number(text);
}
