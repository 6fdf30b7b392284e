/** What `{id}` stands for in a path, by the part of the path before it. */
const IDS: Readonly<Record<string, string>> = {
  accounts: 'The id of the bank connection.',
  'api-keys': 'The id of the API key; not the key itself.',
  assignments: 'The id of the assignment.',
  'connector-logs': 'The id of the connector log.',
  queries: 'The id of the analytics query.',
  replays: 'The id of the replay.',
  'rule-runs': 'The id of the run: of a preview, a backfill or a revert.',
  'transaction-rules': 'The id of the rule.',
  schedules: 'The id of the schedule.',
  transactions: 'The id of the transaction.',
  users: 'The id of the user.',
  sessions: 'The id of the session.',
  webhooks: 'The id of the webhook.',
  '{entityType}': 'The id of the entity, as in the answers about it.',
};

/**
 * What parameters mean that have one meaning wherever they occur, by place and name. A parameter with a description of
 * its own keeps that.
 */
const TEXTS: Readonly<Record<string, string>> = {
  'header if-none-match': 'The `etag` of an earlier answer, or several.',
  'header x-request-id':
    'Becomes `x-request-id` of the answer and the correlation id of every event that the request causes.',
  'path assignmentId': 'The id of the assignment.',
  'path deliveryId': 'The id of the delivery.',
  'path entityType': 'What kind of entity it is.',
  'path syncId': 'The id of the sync.',
  'query accountId': 'Only of this bank connection (its id).',
  'query assigned': '`true`: only with an active assignment; `false`: only without any.',
  'query automationStatus': 'Only those whose automation has this status.',
  'query bankCode': 'Only of this bank, by its code in the catalogue.',
  'query code': "Only with this code of the bank's kind of transaction.",
  'query by': 'What the rows of a group have in common.',
  'query correlationId': 'Only what one request caused: its `x-request-id`.',
  'query count': 'Adds `count`: how many there are in all, exact to 10,000.',
  'query counterpartyKey': 'Only with this counterparty: `key` of a group by counterparty.',
  'query cron': 'Five fields: minute, hour, day of the month, month, day of the week.',
  'query currency': 'Only in this currency (ISO 4217), in any case.',
  'query decimal': 'What separates the decimals of amounts.',
  'query descriptionKey': 'Only with a description like this: `key` of a group by description.',
  'query entityId': 'Only about the entity with this id; `entityType` says of what kind.',
  'query everyMinutes': 'Minutes between two turns, instead of a cron line.',
  'query eventId': 'The id of the event.',
  'query eventType': 'Only events of this type, such as `TransactionRecorded`.',
  'query externalId': 'Only references with this id in their source.',
  'query format': 'JSON in the envelope, or the rows as CSV.',
  'query fromSeal': 'The number of the first seal to check; the first of all unless given.',
  'query groupBy': 'One figure for each company, connection or sub-account instead of one for all.',
  'query iban': 'Only with this IBAN of the counterparty; spaces and case do not matter.',
  'query idNo': "Only with this number of the bank's record.",
  'query include': '`transactions`: adds `transactions`, the rows that the answer names; needs `transactions:read`.',
  'query incoming': '`true`: only money received; `false`: only money paid.',
  'query interval': 'How long each interval of a series is.',
  'query limit': 'How many items a page holds at most.',
  'query maxAmount': 'Only amounts up to this magnitude, whatever the direction.',
  'query minAmount': 'Only amounts of at least this magnitude, whatever the direction.',
  'query operation': 'Only requests for accounts, or for pages of transactions.',
  'query outcome': 'Only with this outcome.',
  'query referenceKey': 'Only with this reference attached: `source:entityType:externalId`.',
  'query ruleId': 'Only what this rule concerns.',
  'query separator': 'What separates the fields of a line.',
  'query sort': 'The order; `-` means descending.',
  'query source': 'Only references to this system.',
  'query status': 'Only with this status.',
  'query subAccountKey': 'Only of this sub-account of a connection.',
  'query syncId': 'Only of this sync.',
  'query tag': 'Only with this tag.',
  'query type': 'Only of this type.',
};

/** A parameter of an operation in the document. */
export type DocumentedParameter = {
  readonly in: string;
  readonly name: string;
  description?: string;
  readonly schema?: { readonly description?: string };
};

/** The general meaning of a parameter of the path; undefined where it has none. */
export function parameterText({ in: place, name }: DocumentedParameter, path: string): string | undefined {
  if (place !== 'path' || name !== 'id') return TEXTS[`${place} ${name}`];
  const parts = path.split('/');
  return IDS[parts[parts.indexOf('{id}') - 1] ?? ''];
}
