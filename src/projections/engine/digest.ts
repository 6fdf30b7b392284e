import { createHash } from 'node:crypto';
import type { CollectionSpec, ReadStore } from '../../readstore/read-store.ts';
import { canonicalJson } from '../../shared/hash.ts';

/**
 * SHA-256 (lower-case hex) over all documents of a collection in `_id` order, each as canonical JSON and a line feed.
 */
export async function digestCollection(readStore: ReadStore, spec: CollectionSpec): Promise<string> {
  return (await surveyCollection(readStore, spec)).digest;
}

/** The digest, the number of documents in it, and the ids of up to `sampleSize` of them, evenly spread. */
export async function surveyCollection(
  readStore: ReadStore,
  spec: CollectionSpec,
  sampleSize = 0,
): Promise<{ digest: string; documents: number; sample: string[] }> {
  const collection = readStore.collection(spec);
  const hash = createHash('sha256');
  const every = sampleSize === 0 ? 0 : Math.max(1, Math.floor((await collection.count([])) / sampleSize));
  const sample: string[] = [];
  let documents = 0;
  for await (const document of collection.iterate({ filter: [], sort: [] })) {
    hash.update(canonicalJson(document)).update('\n');
    if (every > 0 && documents % every === 0 && sample.length < sampleSize) sample.push(document._id);
    documents += 1;
  }
  return { digest: hash.digest('hex'), documents, sample };
}
