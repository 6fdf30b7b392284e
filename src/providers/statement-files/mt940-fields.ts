/** One tagged field of a SWIFT message, with its continuation lines. `line` counts from 1. */
export type SwiftField = { readonly tag: string; readonly lines: readonly string[]; readonly line: number };

const TAGGED = /^:(\d{2}[A-Z]?):(.*)$/;
/** The end of a message's text block, and the marks banks put in its place. */
const ENDS = /^-(\}.*|X{0,3})?\s*$/;
/** An outer header: a SWIFT block, or the message type some banks write above the text block. */
const HEADER = /^(\{\d:|:940:)/;

/** Lines kept of one field, of which the standard allows six. */
export const MOST_LINES = 1_000;
/** Some bank files use lone carriage returns, or none of the line ends the standard asks for. */
const LINE_END = /\r\n|\r|\n/;

/**
 * The fields of a file's messages in order; null where a message ends. What stands outside of fields (bank headers, blank lines) is left out.
 */
export function* swiftFields(text: string): Generator<SwiftField | null> {
  let open: { tag: string; lines: string[]; line: number } | null = null;
  const lines = text.replace(/\{4:(?=[^\r\n])/g, '{4:\n').split(LINE_END);
  for (const [index, raw] of lines.entries()) {
    const tagged = TAGGED.exec(raw);
    const ends = ENDS.test(raw) || HEADER.test(raw);
    if (tagged !== null || ends) {
      if (open !== null) yield open;
      open = tagged === null ? null : { tag: tagged[1] ?? '', lines: [tagged[2] ?? ''], line: index + 1 };
      if (ends) yield null;
    } else if (open !== null && open.lines.length < MOST_LINES && raw.trim() !== '') {
      open.lines.push(raw);
    }
  }
  if (open !== null) yield open;
}

/** Whether a text holds any field of a customer statement message. */
export function looksLikeSwift(text: string): boolean {
  return /^:(20|25|28C?|60[FM]|61|62[FM]|86):/m.test(
    text.slice(0, 65_536).replace(/\r\n?/g, '\n').replace(/\{4:/g, '\n'),
  );
}
