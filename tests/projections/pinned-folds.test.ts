import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { projections } from '../../src/projections/all.ts';
import type { Projection } from '../../src/projections/projection.ts';
import type { Document } from '../../src/readstore/read-store.ts';
import { canonicalJson, sha256 } from '../../src/shared/hash.ts';
import { goldenHistory, ORDER, orderedSamples } from '../support/golden-history.ts';
import { foldOne } from '../support/recorded-events.ts';

const PINNED = new URL('../fixtures/read-models.json', import.meta.url);

/** Made once: ids and positions are counted within a process. */
const history = goldenHistory();

/** `events`: how many samples there were when the version was pinned. */
type Pin = { readonly events: number; readonly sha256: string; readonly documents: readonly Document[] };
type Pinned = Readonly<Record<string, Pin>>;

/**
 * The documents at the end, and a hash over those after each event: the end could hide a difference before it.
 */
function pinOf(projection: Projection, events = history.length): Pin {
  let documents: Map<string, Document> = new Map();
  const steps = history.slice(0, events).map((event) => {
    documents = foldOne(projection, [event], documents);
    return [...documents.values()];
  });
  return { events, sha256: sha256(canonicalJson(steps)), documents: [...documents.values()] };
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe('the documents of a read model', () => {
  const names = projections.map((projection) => `${projection.name}@${projection.version}`);
  const pinned: Pinned = JSON.parse(readFileSync(PINNED, 'utf8'));
  // A changed fold needs a new version: a pin is only added where there is none, and extended where the fold still
  // matches it.
  if (process.env.PIN === 'read-models') {
    const pins = projections.map((projection) => {
      const name = `${projection.name}@${projection.version}`;
      const before = pinned[name];
      const isKept = before === undefined || pinOf(projection, before.events).sha256 === before.sha256;
      return [name, isKept ? pinOf(projection) : before] as const;
    });
    writeFileSync(ORDER, `${JSON.stringify(orderedSamples(), null, 1)}\n`);
    writeFileSync(PINNED, `${JSON.stringify(Object.fromEntries(pins.sort()), null, 1)}\n`);
  }

  it.each(projections.map((projection) => [`${projection.name}@${projection.version}`, projection] as const))(
    'are those pinned for %s: raise the version when the fold changes, then run with PIN=read-models',
    (name, projection) => {
      const pin = (JSON.parse(readFileSync(PINNED, 'utf8')) as Pinned)[name];
      expect(pinOf(projection, pin?.events)).toEqual(pin);
    },
  );

  it.each(projections.map((projection) => [projection.name, projection] as const))(
    'are objects of their own, apart from the events and the documents before: %s',
    (_, projection) => {
      let documents: Map<string, Document> = new Map();
      for (const event of frozen(structuredClone(history))) {
        expect(() => {
          documents = foldOne(projection, [event], documents);
        }).not.toThrow();
        documents.values().forEach(frozen);
      }
    },
  );

  it('are pinned for all stored samples: after a new one run with PIN=read-models', () => {
    const all = Object.values(JSON.parse(readFileSync(PINNED, 'utf8')) as Pinned).map(({ events }) => events);
    expect(new Set(all)).toEqual(new Set([history.length]));
  });

  it('are pinned for the versions there are, and no others', () => {
    expect(Object.keys(JSON.parse(readFileSync(PINNED, 'utf8'))).sort()).toEqual([...names].sort());
  });
});
