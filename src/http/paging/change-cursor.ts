import type { KeyObject } from 'node:crypto';
import type { ChangePoint } from '../../queries/changes.ts';
import { canonicalJson, sha256 } from '../../shared/hash.ts';
import { ApiError } from '../core/errors.ts';
import { type CursorBinding, openCursor, sealCursor } from './cursor.ts';

/** What a walk shows: with another choice, what was not shown before would be missed. */
export type ChangeFilter = { readonly types: readonly string[] | null; readonly companies: readonly string[] | null };

function bindingOf(tenantId: string): CursorBinding {
  return { tenantId, operationId: 'listChanges', query: null };
}

function filterHash({ types, companies }: ChangeFilter): string {
  const sorted = (values: readonly string[] | null) => (values === null ? null : [...values].sort());
  return sha256(canonicalJson([sorted(types), sorted(companies)])).slice(0, 16);
}

export function sealChangeCursor(key: KeyObject, tenantId: string, filter: ChangeFilter, point: ChangePoint): string {
  const { newFrom, position, type, id } = point;
  return sealCursor(key, bindingOf(tenantId), [newFrom, position, type, id, filterHash(filter)]);
}

/** @throws ApiError CURSOR_INVALID for anything but a cursor of a walk of this tenant with the same filter */
export function openChangeCursor(key: KeyObject, tenantId: string, filter: ChangeFilter, cursor: string): ChangePoint {
  const [newFrom, position, type, id, hash] = openCursor(key, bindingOf(tenantId), cursor).map(String);
  if (hash !== filterHash(filter)) throw new ApiError('CURSOR_INVALID');
  return { newFrom: newFrom ?? '', position: position ?? '', type: type ?? '', id: id ?? '' };
}

/** Where the cursor stands in the log, whatever the walk showed. @throws ApiError CURSOR_INVALID */
export function positionOfChangeCursor(key: KeyObject, tenantId: string, cursor: string): string {
  return openCursor(key, bindingOf(tenantId), cursor).map(String)[1] ?? '';
}

/** Nothing has been shown yet. */
export const FROM_THE_START: ChangePoint = { newFrom: '', position: '', type: '', id: '' };
