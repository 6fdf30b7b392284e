import type { EventType } from '../../events/registry.ts';
import { leaseNames } from '../../readstore/lease-names.ts';
import type { CollectionSpec, Index, ReadOften } from '../../readstore/read-store.ts';
import { defined } from '../../shared/defined.ts';
import type { Projection } from '../projection.ts';

/** Any projection, whatever the shape of its documents. */
export type RunnableProjection = {
  readonly name: string;
  readonly version: number;
  readonly takes: readonly EventType[];
  readonly keys: (event: never) => readonly string[];
  readonly base?: (key: string) => string | undefined;
  readonly evolve: (document: never, event: never, key: string) => object | undefined;
  readonly evolveAll?: (document: never, events: never, key: string) => object | undefined;
  readonly indexes: readonly Index[];
  readonly formerIndexes?: readonly Index[];
  readonly isReadOften?: ReadOften;
};

/**
 * The projection with the types of its documents and events erased; sound because a fold is only called with documents
 * of its own collection and events of the types it takes.
 */
export function erased(projection: RunnableProjection): Projection {
  return projection as unknown as Projection;
}

export type Versioned = { readonly name: string; readonly version: number };

/** `<name>@<version>`: the name of a projection's checkpoint, and of its halt and parkings. */
export function versionedName(projection: Versioned): string {
  return `${projection.name}@${projection.version}`;
}

export function leaseName(projection: Versioned): string {
  return leaseNames.projection(versionedName(projection));
}

export function collectionSpec(projection: Versioned & Omit<CollectionSpec, 'name'>): CollectionSpec {
  const { indexes, isReadOften } = projection;
  return { name: collectionName(projection), indexes, ...defined({ isReadOften }) };
}

/** Of the version that is read, which may be one before the projection's own. */
export function readableSpec(projection: RunnableProjection, version: number): CollectionSpec {
  const { formerIndexes = projection.indexes } = projection;
  return collectionSpec({ ...projection, version, ...(version < projection.version && { indexes: formerIndexes }) });
}

export function collectionName(projection: Versioned): string {
  return `${projection.name}_v${projection.version}`;
}
