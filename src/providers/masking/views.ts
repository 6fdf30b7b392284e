import { type Decoder, decoders } from './decoders.ts';

/** A text decoded in one way; `source` maps a part of it to its place in the original. */
export type View = {
  readonly text: string;
  /** Lines were joined, so single lines can no longer be read in it. */
  readonly joined: boolean;
  readonly source: (start: number, end: number) => readonly [start: number, end: number];
};

/** How deep nested encodings are decoded: for example a form within a JSON string within an XML element. */
const DEEPEST = 3;
/** The greatest number of views, which bounds the time. No ordinary text has that many. */
const MOST = 48;

/** The text itself first, then each decoded form of it. */
export function viewsOf(text: string): View[] {
  const views: View[] = [{ text, joined: false, source: (start, end) => [start, end] }];
  const seen = new Set([text]);
  let [from, to] = [0, 1];
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    for (const view of views.slice(from, to)) {
      for (const decoder of decoders) {
        if (views.length >= MOST) return views;
        const decoded = decodedView(view, decoder);
        if (decoded === null || seen.has(decoded.text)) continue;
        seen.add(decoded.text);
        views.push(decoded);
      }
    }
    [from, to] = [to, views.length];
  }
  return views;
}

function decodedView(view: View, { marks, at }: Decoder): View | null {
  const { text } = view;
  const codes = new Uint16Array(text.length);
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  let length = 0;
  let changed = false;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    const decoded = marks.includes(code) ? at(text, index) : null;
    if (decoded === null) {
      codes[length] = code;
      starts[length] = index;
      index += 1;
      ends[length] = index;
      length += 1;
      continue;
    }
    changed = true;
    for (let sign = 0; sign < decoded.text.length; sign += 1) {
      codes[length] = decoded.text.charCodeAt(sign);
      starts[length] = index;
      ends[length] = index + decoded.length;
      length += 1;
    }
    index += decoded.length;
  }
  if (!changed) return null;
  return {
    text: Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'),
    joined: view.joined || marks.includes(0x0a),
    source: (start, end) => view.source(starts[start] ?? 0, ends[end - 1] ?? 0),
  };
}
