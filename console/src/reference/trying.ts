import { signal } from '@preact/signals';
import type { Entry, Parameter } from './document.ts';
import { type Credentials, type Filled, fieldOf, NOTHING } from './request.ts';

const NOBODY: Credentials = { key: '', secret: '', token: '' };

/** In the memory of this page only: gone when it is closed or loaded anew. */
export const credentials = signal<Credentials>(NOBODY);
/** Whether fields are shown beside the parameters. */
export const isTrying = signal(false);
const filled = signal<Readonly<Record<string, Filled>>>({});
/** The company and the tenant are the same for a row of requests, so they are filled in for all operations at once. */
const shared = signal<Readonly<Record<string, string>>>({});
const SHARED = new Set(['header x-company-id', 'header x-tenant-id']);

export function forget(): void {
  credentials.value = NOBODY;
}

export function isAuthorized(): boolean {
  const { key, secret, token } = credentials.value;
  return (key !== '' && secret !== '') || token !== '';
}

export function filledFor({ operationId }: Entry): Filled {
  const own = filled.value[operationId] ?? NOTHING;
  return { ...own, values: { ...own.values, ...shared.value } };
}

export function fill({ operationId }: Entry, change: Partial<Omit<Filled, 'values'>>): void {
  filled.value = { ...filled.value, [operationId]: { ...(filled.value[operationId] ?? NOTHING), ...change } };
}

export function fillParameter({ operationId }: Entry, parameter: Parameter, value: string): void {
  const field = fieldOf(parameter);
  if (SHARED.has(field)) {
    shared.value = { ...shared.value, [field]: value };
    return;
  }
  const own = filled.value[operationId] ?? NOTHING;
  filled.value = { ...filled.value, [operationId]: { ...own, values: { ...own.values, [field]: value } } };
}
