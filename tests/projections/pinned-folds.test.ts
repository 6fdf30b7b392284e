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

describe('the documents of a read model', () => {
  const names = projections.map((projection) => `${projection.name}@${projection.version}`);
  const pinned: Pinned = JSON.parse(readFileSync(PINNED, 'utf8'));
  // Only a version that was never pinned is taken: a fold that changed has to have a new version.
  const added = projections.filter((one) => !Object.hasOwn(pinned, `${one.name}@${one.version}`));
  if (process.env.PIN === 'read-models' && added.length > 0) {
    const kept = Object.entries(pinned).filter(([name]) => names.includes(name));
    const fresh = added.map((one) => [`${one.name}@${one.version}`, pinOf(one)] as const);
    writeFileSync(ORDER, `${JSON.stringify(orderedSamples(), null, 1)}\n`);
    writeFileSync(PINNED, `${JSON.stringify(Object.fromEntries([...kept, ...fresh].sort()), null, 1)}\n`);
  }

  it.each(projections.map((projection) => [`${projection.name}@${projection.version}`, projection] as const))(
    'are those pinned for %s: raise the version when the fold changes, then run with PIN=read-models',
    (name, projection) => {
      const pin = (JSON.parse(readFileSync(PINNED, 'utf8')) as Pinned)[name];
      expect(pinOf(projection, pin?.events)).toEqual(pin);
    },
  );

  it('are pinned for the versions there are, and no others', () => {
    expect(Object.keys(JSON.parse(readFileSync(PINNED, 'utf8'))).sort()).toEqual([...names].sort());
  });
});
