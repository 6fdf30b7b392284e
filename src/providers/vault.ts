import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import { type Clock, isoTime } from '../shared/clock.ts';
import { canonicalJson } from '../shared/hash.ts';
import { documentId, newId as freshId, type NewId } from '../shared/ids.ts';
import { seal, unseal } from '../shared/sealing.ts';
import type { Environment } from './bank-provider.ts';

/** No event leads to `credentials` and no rebuild restores it: what is lost there is lost. */
export const CREDENTIALS: CollectionSpec = { name: 'credentials', indexes: [], isState: true };

export type Credentials = Readonly<Record<string, unknown>>;

export type VaultReceipt = {
  /** 16 hex digits of an HMAC-SHA-256: shows whether credentials are the same and reveals nothing of their content. */
  readonly fingerprint: string;
  readonly updatedAt: string;
};

export type VaultContent = VaultReceipt & { readonly environment: Environment; readonly fields: Credentials };

export type Vault = {
  /**
   * Stores the credentials in place of any others. @throws VaultError `VAULT_BUSY` while others keep writing the same
   * ones
   */
  readonly put: (
    tenantId: string,
    connectionId: string,
    environment: Environment,
    fields: Credentials,
  ) => Promise<VaultReceipt>;
  /**
   * Undefined if there are none. @throws VaultError `VAULT_RECORD_UNREADABLE` if the key differs or the record was
   * changed
   */
  readonly get: (tenantId: string, connectionId: string) => Promise<VaultContent | undefined>;
  /**
   * Deletes the record with its data key, so copies of the fields stay unreadable. Does nothing if there is no record.
   */
  readonly destroy: (tenantId: string, connectionId: string) => Promise<void>;
};

export type VaultErrorCode = 'VAULT_KEY_INVALID' | 'VAULT_RECORD_UNREADABLE' | 'VAULT_BUSY';

/** Its message never holds a credential. */
export class VaultError extends Error {
  readonly code: VaultErrorCode;
  constructor(code: VaultErrorCode, message: string) {
    super(message);
    this.name = 'VaultError';
    this.code = code;
  }
}

type SealedRecord = Document & {
  readonly environment: Environment;
  readonly wrappedKey: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly fingerprint: string;
  readonly updatedAt: string;
};

const ATTEMPTS = 5;

/**
 * Stores credentials encrypted: each record has a random AES-256-GCM data key, which is encrypted with a key derived
 * from the master key. Associated data are, for the encrypted key, tenant, connection, environment and the names of all
 * fields; for each field the same three and its own name. So neither a record nor a field can be used in place of
 * another.
 * @throws VaultError `VAULT_KEY_INVALID` unless the key has 32 bytes
 */
export async function openVault(options: {
  readStore: ReadStore;
  key: Buffer;
  clock: Clock;
  newId?: NewId;
}): Promise<Vault> {
  const { readStore, key, clock, newId = freshId } = options;
  if (key.length !== 32) throw new VaultError('VAULT_KEY_INVALID', 'the encryption key must have 32 bytes');
  const wrappingKey = derived(key, 'credentials/wrap');
  const fingerprintKey = derived(key, 'credentials/fingerprint');
  await readStore.ensureCollection(CREDENTIALS);
  const records = readStore.collection<SealedRecord>(CREDENTIALS);

  function sealRecord(place: Place, fields: Credentials, position: string): SealedRecord {
    const dataKey = randomBytes(32);
    const names = Object.keys(fields).sort();
    const sealed = names.map((name) => [
      name,
      seal(dataKey, fieldLabel(place, name), Buffer.from(canonicalJson(fields[name]), 'utf8')),
    ]);
    const content = canonicalJson([place.tenantId, place.environment, fields]);
    const record = {
      _id: documentId(place.tenantId, place.connectionId),
      _position: position,
      environment: place.environment,
      wrappedKey: seal(wrappingKey, keyLabel(place, names), dataKey),
      fields: Object.fromEntries(sealed),
      fingerprint: createHmac('sha256', fingerprintKey).update(content).digest('hex').slice(0, 16),
      updatedAt: isoTime(clock.now()),
    };
    dataKey.fill(0);
    return record;
  }

  function unsealRecord(place: Place, record: SealedRecord): Credentials {
    const names = Object.keys(record.fields).sort();
    const dataKey = opened(wrappingKey, keyLabel(place, names), record.wrappedKey);
    const fields = names.map((name) => {
      const text = opened(dataKey, fieldLabel(place, name), record.fields[name] ?? '').toString('utf8');
      return [name, JSON.parse(text)];
    });
    dataKey.fill(0);
    return Object.fromEntries(fields);
  }

  return {
    async put(tenantId, connectionId, environment, fields) {
      const place = { tenantId, connectionId, environment };
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const present = await records.get(documentId(tenantId, connectionId));
        const position = positionAfter(present?._position, clock.now(), newId());
        const record = sealRecord(place, fields, position);
        if (await records.compareAndSet(record, present?._position ?? null)) {
          return { fingerprint: record.fingerprint, updatedAt: record.updatedAt };
        }
      }
      throw new VaultError('VAULT_BUSY', 'the credentials are being replaced by another request');
    },

    async get(tenantId, connectionId) {
      const record = await records.get(documentId(tenantId, connectionId));
      if (record === undefined) return undefined;
      const { environment, fingerprint, updatedAt } = record;
      const fields = unsealRecord({ tenantId, connectionId, environment }, record);
      return { environment, fingerprint, updatedAt, fields };
    },

    async destroy(tenantId, connectionId) {
      await records.deleteMany([documentId(tenantId, connectionId)]);
    },
  };
}

type Place = { readonly tenantId: string; readonly connectionId: string; readonly environment: Environment };

function keyLabel({ tenantId, connectionId, environment }: Place, names: readonly string[]): Buffer {
  return Buffer.from(canonicalJson(['key', 1, tenantId, connectionId, environment, names]));
}

function fieldLabel({ tenantId, connectionId, environment }: Place, name: string): Buffer {
  return Buffer.from(canonicalJson(['field', 1, tenantId, connectionId, environment, name]));
}

function derived(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
}

/** Later than the present position even if the clock stops or goes back, since the store keeps the later of the two. */
function positionAfter(present: string | undefined, nowMs: number, id: string): string {
  const presentMs = present === undefined ? 0 : Number(present.slice(0, 16));
  return `${String(Math.max(nowMs, presentMs + 1)).padStart(16, '0')}-${id}`;
}

/** @throws VaultError `VAULT_RECORD_UNREADABLE` */
function opened(key: Buffer, label: Buffer, sealed: string): Buffer {
  const plain = unseal(key, label, sealed);
  if (plain !== null) return plain;
  throw new VaultError(
    'VAULT_RECORD_UNREADABLE',
    'the stored credentials cannot be decrypted: the encryption key differs, or the record was changed',
  );
}
