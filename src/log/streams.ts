/** Every category of stream. The part before the first `-` of a stream's name; what follows is `{tenant}_{id}`. */
export const CATEGORIES = [
  'tenant',
  'company',
  'user',
  'session',
  'apiKey',
  'bankConnection',
  'subAccount',
  'syncRun',
  'bankTransaction',
  'transactionRule',
  'ruleRun',
  'schedule',
  'scheduleRun',
  'seal',
  'webhook',
] as const;

export type Category = (typeof CATEGORIES)[number];

const PART = /^[A-Za-z0-9.-]{1,128}$/;

/**
 * The only place that makes stream names: a tenant is always part of the name, so no handler can name another tenant's
 * stream by an id alone.
 * @throws RangeError when the tenant or id holds anything but letters, digits, dots and dashes
 */
export function streamName(category: Category, tenantId: string, id: string): string {
  if (!PART.test(tenantId)) throw new RangeError('the tenant id cannot be part of a stream name');
  if (!PART.test(id)) throw new RangeError('the id cannot be part of a stream name');
  return `${category}-${tenantId}_${id}`;
}

/** The inverse of {@link streamName}. @throws RangeError for a name it did not make */
export function parseStreamName(stream: string): { category: Category; tenantId: string; id: string } {
  const dash = stream.indexOf('-');
  const underscore = stream.indexOf('_', dash);
  const category = CATEGORIES.find((known) => known === stream.slice(0, Math.max(dash, 0)));
  if (category === undefined || underscore < 0) throw new RangeError(`not a stream name of this service: ${stream}`);
  return { category, tenantId: stream.slice(dash + 1, underscore), id: stream.slice(underscore + 1) };
}

/** True when an id from outside can be part of a stream name; any other id names nothing that exists. */
export function isStreamId(id: string): boolean {
  return PART.test(id);
}
