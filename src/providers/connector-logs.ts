import type { Collection, CollectionSpec, Condition, Document, ReadStore } from '../readstore/read-store.ts';
import { type Clock, isoTime } from '../shared/clock.ts';
import { computedId, documentId } from '../shared/ids.ts';
import type { Environment } from './bank-provider.ts';
import { openConnectorBodies } from './connector-bodies.ts';
import type { KeptBody } from './masking/kept-body.ts';

/** Not events: they expire, and would be the largest part of the log. */
export const CONNECTOR_LOGS: CollectionSpec = {
  name: 'connector_logs',
  indexes: [
    { fields: ['tenantId', 'order'] },
    { fields: ['tenantId', 'accountId', 'order'] },
    { fields: ['tenantId', 'syncId', 'order'] },
    { fields: ['tenantId', 'syncId', 'page', 'order'] },
    { fields: ['expiresAt'] },
  ],
  isState: true,
};

export const OPERATIONS = ['accounts', 'page'] as const;
export const OUTCOMES = [
  'success',
  'transient',
  'rate_limited',
  'credentials_rejected',
  'permanent',
  'aborted',
] as const;

export type LoggedMessage = { readonly headers: Readonly<Record<string, string>>; readonly body: KeptBody | null };

/** One request to a bank with its answer, masked. Times are ISO 8601. */
export type ConnectorLog = {
  readonly tenantId: string;
  readonly companyId: string;
  readonly accountId: string;
  readonly bankCode: string;
  readonly environment: Environment;
  /** Null for a request of a setup; `setupId` names that. */
  readonly syncId: string | null;
  readonly setupId: string | null;
  /** `accounts` asks for the list of accounts, `page` for rows. */
  readonly operation: (typeof OPERATIONS)[number];
  /** The page of the sync that was requested, counted as in `SyncPageIngested`. */
  readonly page: number | null;
  readonly at: string;
  readonly durationMs: number;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly method: string | null;
  readonly url: string | null;
  readonly status: number | null;
  readonly request: LoggedMessage | null;
  readonly response: LoggedMessage | null;
  readonly correlationId: string;
};

export type ConnectorLogDocument = Document &
  ConnectorLog & {
    readonly id: string;
    /** Counts the requests for the same thing from 1, across failures and restarts. */
    readonly attempt: number;
    /** `at` and a number, so that requests of one millisecond keep their order. */
    readonly order: string;
    readonly expiresAt: string;
  };

/** As it is stored: the text of a body may be kept apart (`connector-bodies.ts`) and is null here then. */
type StoredLog = ConnectorLogDocument & { readonly texts?: { readonly request?: string; readonly response?: string } };

/** Whose records may be read: those of a tenant, of the given companies or, with null, of all. */
export type Viewer = { readonly tenantId: string; readonly companies: readonly string[] | null };

export type ConnectorLogFilter = {
  readonly accountId?: string;
  readonly syncId?: string;
  readonly operation?: string;
  readonly outcome?: string;
  /** ISO 8601, half open. */
  readonly from?: string;
  readonly to?: string;
};

export type ConnectorLogs = {
  /** Durable when it resolves. A record never replaces another. @throws ReadStoreUnavailable */
  readonly write: (record: ConnectorLog) => Promise<void>;
  readonly get: (viewer: Viewer, id: string) => Promise<ConnectorLogDocument | undefined>;
  /** Newest first. */
  readonly page: (
    viewer: Viewer,
    options: { filter: ConnectorLogFilter; limit: number; after?: readonly (string | number)[] },
  ) => Promise<{ items: ConnectorLogDocument[]; after: (string | number)[] | null }>;
  /** Exact up to `most`. */
  readonly count: (viewer: Viewer, filter: ConnectorLogFilter, most: number) => Promise<number>;
  /**
   * The answer from which the rows of a page recorded at that time were read; undefined if it has expired or is older
   * than this log.
   */
  readonly behindRow: (
    tenantId: string,
    syncId: string,
    page: number,
    fetchedAt: string,
  ) => Promise<string | undefined>;
  /** Deletes a batch of expired records; true if there may be more. */
  readonly sweep: () => Promise<boolean>;
};

const KEPT_MS = 90 * 86_400_000;
const SLICE = 200;
/** Sorts after every record of the same time. */
const AFTER_ALL = '~';

export async function openConnectorLogs({
  readStore,
  clock,
}: {
  readStore: ReadStore;
  clock: Clock;
}): Promise<ConnectorLogs> {
  await readStore.ensureCollection(CONNECTOR_LOGS);
  const documents: Collection<StoredLog> = readStore.collection(CONNECTOR_LOGS);
  const bodies = await openConnectorBodies(readStore);
  let written = 0;

  /** The record without its long texts, and where these are kept. */
  async function withoutTexts(record: ConnectorLog): Promise<ConnectorLog & Pick<StoredLog, 'texts'>> {
    const atMs = Date.parse(record.at);
    const apart = async (message: LoggedMessage | null): Promise<{ message: LoggedMessage | null; id?: string }> => {
      const text = message?.body?.text;
      if (message?.body == null || text == null) return { message };
      const id = await bodies.keep(record.tenantId, text, atMs, KEPT_MS);
      return id === undefined ? { message } : { message: { ...message, body: { ...message.body, text: null } }, id };
    };
    const [request, response] = [await apart(record.request), await apart(record.response)];
    const ids = {
      ...(request.id === undefined ? {} : { request: request.id }),
      ...(response.id === undefined ? {} : { response: response.id }),
    };
    const parts = { ...record, request: request.message, response: response.message };
    return Object.keys(ids).length === 0 ? parts : { ...parts, texts: ids };
  }

  async function withTexts(stored: readonly StoredLog[]): Promise<ConnectorLogDocument[]> {
    const ids = stored.flatMap(({ texts }) => Object.values(texts ?? {}));
    const texts = ids.length === 0 ? new Map<string, string>() : await bodies.texts(ids);
    const whole = (message: LoggedMessage | null, id: string | undefined): LoggedMessage | null =>
      message?.body == null || id === undefined
        ? message
        : { ...message, body: { ...message.body, text: texts.get(id) ?? null } };
    return stored.map(({ texts: kept, ...log }) => ({
      ...log,
      request: whole(log.request, kept?.request),
      response: whole(log.response, kept?.response),
    }));
  }

  const isLive = ({ expiresAt }: ConnectorLogDocument): boolean => expiresAt > isoTime(clock.now());

  /** Null where nothing can be seen. */
  function conditionsOf(
    { tenantId, companies }: Viewer,
    { from, to, ...equal }: ConnectorLogFilter,
  ): Condition[] | null {
    if (companies !== null && companies.length === 0) return null;
    const oldest = isoTime(clock.now() - KEPT_MS);
    const filter: Condition[] = [{ field: 'tenantId', op: 'eq', value: tenantId }];
    for (const [field, value] of Object.entries(equal)) {
      if (value !== undefined) filter.push({ field, op: 'eq', value });
    }
    if (companies !== null) filter.push({ field: 'companyId', op: 'in', value: companies });
    const isLater = from !== undefined && from > oldest;
    // Records of exactly that time have expired.
    filter.push({ field: 'order', op: 'gte', value: isLater ? from : oldest + AFTER_ALL });
    if (to !== undefined) filter.push({ field: 'order', op: 'lt', value: to });
    return filter;
  }

  return {
    async write(record) {
      const { tenantId, syncId, setupId, operation, page, at } = record;
      written = (written + 1) % 1_000_000;
      const order = `${at}/${String(written).padStart(6, '0')}`;
      const expiresAt = isoTime(Date.parse(at) + KEPT_MS);
      // The texts first: a record never names one that is not there.
      const stored = await withoutTexts(record);
      for (let attempt = 1; ; attempt += 1) {
        const id = computedId('exchange', syncId ?? '', setupId ?? '', operation, String(page), String(attempt));
        const _id = documentId(tenantId, id);
        const document = { _id, _position: order, id, attempt, order, expiresAt, ...stored };
        if (await documents.compareAndSet(document, null)) return;
      }
    },

    async get({ tenantId, companies }, id) {
      const found = await documents.get(documentId(tenantId, id));
      if (found === undefined || found.tenantId !== tenantId || !isLive(found)) return undefined;
      if (companies !== null && !companies.includes(found.companyId)) return undefined;
      return (await withTexts([found]))[0];
    },

    async page(viewer, { filter: asked, limit, after }) {
      const filter = conditionsOf(viewer, asked);
      if (filter === null) return { items: [], after: null };
      const sort = [{ field: 'order', direction: 'desc' }] as const;
      const found = await documents.find({ filter, sort, limit: limit + 1, ...(after === undefined ? {} : { after }) });
      const items = await withTexts(found.slice(0, limit));
      const last = items.at(-1);
      return { items, after: found.length <= limit || last === undefined ? null : [last.order, last._id] };
    },

    async count(viewer, asked, most) {
      const filter = conditionsOf(viewer, asked);
      return filter === null ? 0 : documents.count(filter, most);
    },

    async behindRow(tenantId, syncId, page, fetchedAt) {
      const [found] = await documents.find({
        filter: [
          { field: 'tenantId', op: 'eq', value: tenantId },
          { field: 'syncId', op: 'eq', value: syncId },
          { field: 'page', op: 'eq', value: page },
          { field: 'outcome', op: 'eq', value: 'success' },
          { field: 'order', op: 'lte', value: fetchedAt + AFTER_ALL },
        ],
        sort: [{ field: 'order', direction: 'desc' }],
        limit: 1,
      });
      return found !== undefined && isLive(found) ? found.id : undefined;
    },

    async sweep() {
      const expired = await documents.find({
        filter: [{ field: 'expiresAt', op: 'lte', value: isoTime(clock.now()) }],
        sort: [{ field: 'expiresAt', direction: 'asc' }],
        limit: SLICE,
      });
      await documents.deleteMany(expired.map(({ _id }) => _id));
      const hasMoreTexts = await bodies.sweep(clock.now());
      return expired.length === SLICE || hasMoreTexts;
    },
  };
}
