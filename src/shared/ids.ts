import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';

/** Fixed for ever: every computed id of this service hangs below it. */
const NAMESPACE = '5b0f4a5e-6f0c-5d7e-9a3b-2c1d8e7f6a90';

/** Makes fresh ids (UUIDv7, RFC 9562). Passed in where ids are needed, so that tests can fix them. */
export type NewId = () => string;

export const newId: NewId = () => uuidV7();

/** A UUIDv5 of the parts; parts are length-prefixed, so no two lists of parts meet. */
export function computedId(...parts: readonly string[]): string {
  return uuidV5(parts.map((part) => `${part.length}:${part}`).join(''), NAMESPACE);
}

/** The one id a bank row can have: two connections, two workers and a replay agree on it. */
export function transactionId(tenantId: string, bankCode: string, providerStamp: string): string {
  return computedId('transaction', tenantId, bankCode, providerStamp);
}

/** Read-model document id: the tenant is always part of it. */
export function documentId(tenantId: string, ...parts: readonly string[]): string {
  return [tenantId, ...parts].join('/');
}
