import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';

export type StoredEvent = {
  readonly stream: string;
  readonly revision: number;
  /** Like an offset in a file: grows by the size of the events before. */
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  /** Ticks of 100 ns since 1970. */
  readonly created: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
};

export type ProposedEvent = Pick<StoredEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

export type Outcome =
  | { readonly kind: 'written'; readonly revision: number; readonly position: bigint }
  | { readonly kind: 'wrong-version'; readonly current: number };

/**
 * What EventStoreDB does with streams, in memory; if a file is named, the events are also stored there, one per line.
 */
export type Store = {
  /** In log order. */
  readonly events: readonly StoredEvent[];
  readonly stream: (name: string) => readonly StoredEvent[];
  readonly append: (stream: string, expected: number | 'any', events: readonly ProposedEvent[]) => Outcome;
  /** Index of the first event at or after the position. */
  readonly indexAt: (position: bigint) => number;
  /** The position after the last event. */
  readonly end: () => bigint;
  readonly onAppend: (listener: () => void) => () => void;
  readonly close: () => void;
};

const RECORD_OVERHEAD = 100n;
const TICKS_PER_MS = 10_000n;

export function openStore(file?: string): Store {
  const events: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const listeners = new Set<() => void>();
  let end = 0n;

  function add(stream: string, event: ProposedEvent, created: string): StoredEvent {
    const inStream = streams.get(stream) ?? [];
    streams.set(stream, inStream);
    const stored = { ...event, stream, revision: inStream.length, position: end, created };
    end += RECORD_OVERHEAD + BigInt(event.data.length + event.metadata.length);
    inStream.push(stored);
    events.push(stored);
    return stored;
  }

  if (file !== undefined && existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line === '') continue;
      const { stream, created, data, metadata, ...rest } = JSON.parse(line);
      add(stream, { ...rest, data: Buffer.from(data, 'base64'), metadata: Buffer.from(metadata, 'base64') }, created);
    }
  }
  const handle = file === undefined ? undefined : openSync(file, 'a');

  function keep(written: readonly StoredEvent[]): void {
    if (handle === undefined) return;
    const lines = written.map(({ stream, created, id, type, contentType, data, metadata }) =>
      JSON.stringify({
        stream,
        created,
        id,
        type,
        contentType,
        data: data.toString('base64'),
        metadata: metadata.toString('base64'),
      }),
    );
    writeSync(handle, `${lines.join('\n')}\n`);
  }

  return {
    events,
    stream: (name) => streams.get(name) ?? [],
    append: (stream, expected, proposed) => {
      const inStream = streams.get(stream) ?? [];
      const current = inStream.length - 1;
      if (expected !== 'any' && expected < current) {
        const last = inStream[expected + proposed.length];
        const repeated = proposed.every(({ id }, index) => inStream[expected + 1 + index]?.id === id);
        if (!repeated || last === undefined) return { kind: 'wrong-version', current };
        return { kind: 'written', revision: last.revision, position: last.position };
      }
      if (expected !== 'any' && expected > current) return { kind: 'wrong-version', current };
      const created = String(BigInt(Date.now()) * TICKS_PER_MS);
      const written = proposed.map((event) => add(stream, event, created));
      keep(written);
      for (const listener of listeners) listener();
      const last = written.at(-1);
      return { kind: 'written', revision: last?.revision ?? current, position: last?.position ?? end };
    },
    indexAt: (position) => {
      let low = 0;
      let high = events.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((events[middle]?.position ?? position) < position) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    end: () => end,
    onAppend: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      if (handle !== undefined) closeSync(handle);
    },
  };
}
