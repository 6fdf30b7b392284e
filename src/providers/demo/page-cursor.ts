import { ProviderError } from '../bank-provider.ts';

/**
 * Where a page begins: after `skip` rows of `day`. `page` counts from 1; `repeated`: this page is returned for the
 * second time.
 */
export type PageStart = {
  readonly day: number;
  readonly skip: number;
  readonly page: number;
  readonly repeated: boolean;
};

export function cursorOf({ day, skip, page, repeated }: PageStart): string {
  return Buffer.from(`${day}.${skip}.${page}.${repeated ? 1 : 0}`).toString('base64url');
}

/** @throws ProviderError for a cursor that this bank did not issue */
export function pageStart(cursor: string): PageStart {
  const parts = /^(\d{1,6})\.(\d{1,6})\.(\d{1,9})\.([01])$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (parts === null) throw new ProviderError('permanent', 'PROVIDER_CURSOR_INVALID', 'not a cursor of the demo bank');
  const [, day, skip, page, repeated] = parts;
  return { day: Number(day), skip: Number(skip), page: Number(page), repeated: repeated === '1' };
}
