const LEAF_BYTES = 32;
const ID_BYTES = 16;
const ENTRY_BYTES = LEAF_BYTES + ID_BYTES;
const ENTRIES_A_CHUNK = 1_024;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An event by its id, and the SHA-256 of its sealed form. */
export type WaitingEvent = { readonly id: string; readonly leaf: Buffer };

/** Events in log order that no seal covers yet. */
export type WaitingEvents = {
  readonly count: () => number;
  readonly add: (id: string, leaf: Buffer) => void;
  /** Leaves out the first ones; all of them where there are fewer. */
  readonly drop: (count: number) => void;
  /** The first ones, or as many as there are. */
  readonly first: (count: number) => WaitingEvent[];
  /** Made one after the other. */
  readonly leaves: () => Iterable<Buffer>;
};

/**
 * They take 48 bytes each, outside the heap: where sealing lags behind a large sync, there are hundreds of thousands.
 */
export function openWaitingEvents(): WaitingEvents {
  const chunks: Buffer[] = [];
  /** Ids that are no UUIDs, which only a history that was changed has. */
  const otherIds = new Map<number, string>();
  /** Counted from the first event ever added; `chunks` begins with the chunk of `begin`. */
  let begin = 0;
  let end = 0;

  function entryAt(index: number): Buffer {
    const chunk = chunks[Math.floor(index / ENTRIES_A_CHUNK) - Math.floor(begin / ENTRIES_A_CHUNK)];
    const from = (index % ENTRIES_A_CHUNK) * ENTRY_BYTES;
    if (chunk === undefined) throw new RangeError('no such event');
    return chunk.subarray(from, from + ENTRY_BYTES);
  }

  const leafAt = (index: number): Buffer => Buffer.from(entryAt(index).subarray(0, LEAF_BYTES));
  const idAt = (index: number): string => {
    const hex = entryAt(index).toString('hex', LEAF_BYTES);
    return otherIds.get(index) ?? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };

  return {
    count: () => end - begin,
    add(id, leaf) {
      const place = Math.floor(end / ENTRIES_A_CHUNK) - Math.floor(begin / ENTRIES_A_CHUNK);
      if (chunks[place] === undefined) chunks.push(Buffer.alloc(ENTRIES_A_CHUNK * ENTRY_BYTES));
      const entry = entryAt(end);
      leaf.copy(entry);
      if (UUID.test(id)) entry.write(id.replaceAll('-', ''), LEAF_BYTES, 'hex');
      else otherIds.set(end, id);
      end += 1;
    },
    drop(count) {
      const before = Math.floor(begin / ENTRIES_A_CHUNK);
      begin = Math.min(end, begin + count);
      chunks.splice(0, Math.floor(begin / ENTRIES_A_CHUNK) - before);
      for (const index of otherIds.keys()) if (index < begin) otherIds.delete(index);
    },
    first(count) {
      const length = Math.min(count, end - begin);
      return Array.from({ length }, (_, at) => ({ id: idAt(begin + at), leaf: leafAt(begin + at) }));
    },
    *leaves() {
      for (let index = begin; index < end; index += 1) yield leafAt(index);
    },
  };
}
