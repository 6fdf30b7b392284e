/** One tagged field of a SWIFT message, with its continuation lines. `line` counts from 1. */
export type SwiftField = { readonly tag: string; readonly lines: readonly string[]; readonly line: number };

/**
 * What a line completes: a field, the end of a message, or a line that was taken as text although it looks like an end.
 */
export type SwiftEvent =
  | { readonly kind: 'field'; readonly field: SwiftField }
  | { readonly kind: 'end' }
  | { readonly kind: 'dash-as-text'; readonly line: number };

const TAGGED = /^:(\d{2}[A-Z]?|NS):(.*)$/;
/**
 * What transfers and text editors leave before a tag: control characters, byte order marks however they were decoded,
 * blanks.
 */
const LEFT_BEFORE_TAG =
  /^(?:[\p{C}\p{Z}\s]|ï»¿)+(?=:(?:20|25P?|28C?|60[FM]|61|62[FM]|64|86|90[CD]|13D|34F|NS):|\{\d:)/u;
/** The end of a message's text block, and the marks banks put in its place. */
const ENDS = /^-(\}.*|X{0,3})?\s*$/;
/** An outer header: a SWIFT block, or the message type some banks write above the text block. */
const HEADER = /^(\{\d:|:94[02]:)/;
const TEXT_BLOCK = '{4:';

/** The most lines and characters kept of one field; the standard allows six lines of 65 characters. */
const MOST_LINES = 1_000;
const MOST_CHARACTERS = 64 * 1024;

/** Adds lines to a field, as far as there is room. */
export function addLines(lines: string[], more: readonly string[]): void {
  let room = MOST_CHARACTERS - lines.reduce((sum, line) => sum + line.length, 0);
  for (const line of more) {
    room -= line.length;
    if (lines.length >= MOST_LINES || room < 0) return;
    lines.push(line);
  }
}

export type SwiftFields = {
  /** The events that the next line of the file completes. */
  readonly take: (line: string) => SwiftEvent[];
  readonly end: () => SwiftEvent[];
};

/**
 * Reads the fields of a file's messages in order, line by line. What is outside fields (bank headers, blank lines) is
 * skipped. A line of one dash ends a message only after the closing balance, or if a new message or nothing follows:
 * banks also write it as text.
 */
export function openSwiftFields(): SwiftFields {
  let open: { tag: string; lines: string[]; line: number } | null = null;
  let dash: number | null = null;
  let closed = false;
  let number = 0;

  function finish(events: SwiftEvent[]): void {
    if (open !== null) events.push({ kind: 'field', field: open });
    open = null;
  }

  function end(events: SwiftEvent[]): void {
    finish(events);
    events.push({ kind: 'end' });
    closed = false;
  }

  function append(text: string): void {
    if (open !== null) addLines(open.lines, [text]);
  }

  function settleDash(next: string | null, events: SwiftEvent[]): void {
    if (dash === null) return;
    if (next === null || HEADER.test(next) || next.startsWith(':20:')) end(events);
    else {
      append('-');
      events.push({ kind: 'dash-as-text', line: dash });
    }
    dash = null;
  }

  function takeText(raw: string, events: SwiftEvent[]): void {
    const text = raw.replace(LEFT_BEFORE_TAG, '');
    if (text.trim() === '') return;
    settleDash(text, events);
    const ends = ENDS.test(text);
    if (ends && text.trimEnd() === '-' && open?.tag === '86' && !closed) {
      dash = number;
      return;
    }
    if (ends || HEADER.test(text)) {
      end(events);
      const block = text.indexOf(TEXT_BLOCK);
      if (block >= 0) takeText(text.slice(block + TEXT_BLOCK.length), events);
      return;
    }
    const tagged = TAGGED.exec(text);
    if (tagged === null) {
      append(raw);
      return;
    }
    finish(events);
    const [, tag = '', rest = ''] = tagged;
    if (tag.startsWith('62')) closed = true;
    if (tag === '20' || tag.startsWith('60')) closed = false;
    open = { tag, lines: [rest], line: number };
  }

  return {
    take(line) {
      number += 1;
      const events: SwiftEvent[] = [];
      takeText(line, events);
      return events;
    },
    end() {
      const events: SwiftEvent[] = [];
      settleDash(null, events);
      finish(events);
      return events;
    },
  };
}

/** Whether a text holds any field of a customer statement message. */
export function looksLikeSwift(text: string): boolean {
  return /^[\p{C}\p{Z}]*:(20|25|28C?|60[FM]|61|62[FM]|86):/mu.test(
    text.slice(0, 65_536).replace(/\r\n?/g, '\n').replace(/\{4:/g, '\n'),
  );
}
