import { apiKeys } from '../../projections/api-keys.ts';
import { connections } from '../../projections/connections.ts';
import { rules } from '../../projections/rules.ts';
import { companies } from '../../projections/tenancy.ts';
import { users } from '../../projections/users.ts';
import { openReader, type Reader } from '../../queries/reader.ts';
import type { Expandable, expandedSchema } from '../core/envelope.ts';
import type { Call } from '../core/operation.ts';
import type { z } from '../core/zod.ts';

type Expanded = z.input<typeof expandedSchema>;
type Named = { readonly id: string; readonly name: string };
type Found = { readonly [Kind in Expandable]: Set<string> };

/** Which members of a resource hold ids of what. */
const MEMBERS: Readonly<Record<string, Expandable>> = {
  accountId: 'account',
  ruleId: 'rule',
  companies: 'company',
  companyId: 'company',
  createdBy: 'actor',
  updatedBy: 'actor',
  requestedBy: 'actor',
  userId: 'actor',
  endedBy: 'actor',
};

/** What the kinds of entities in the history are. */
const ENTITIES: Readonly<Record<string, Expandable>> = {
  connection: 'account',
  rule: 'rule',
  company: 'company',
  user: 'actor',
  'api-key': 'actor',
};

const MOST_LEVELS = 8;

type Asker = Pick<Call<unknown, unknown, unknown>, 'services' | 'reader' | 'caller'>;

/**
 * The names of what the shown items hold the ids of, by id. What the caller may not see has none: nothing of another
 * tenant or company. The names of people and keys are for those who may read the history of the whole tenant; anybody
 * sees their own.
 */
export async function namesBeside(call: Asker, kinds: readonly Expandable[], shown: unknown): Promise<Expanded> {
  const found: Found = { account: new Set(), rule: new Set(), company: new Set(), actor: new Set() };
  const systems = new Set<string>();
  collect(shown, found, systems, MOST_LEVELS);
  const expanded: Expanded = {};
  if (kinds.includes('account')) {
    const some = await call.reader.many(connections, [...found.account]);
    expanded.account = byId(some.map(({ id, title }) => ({ id, name: title })));
  }
  if (kinds.includes('rule')) expanded.rule = byId((await call.reader.many(rules, [...found.rule])).map(named));
  if (kinds.includes('company')) {
    expanded.company = byId((await call.reader.many(companies, [...found.company])).map(named));
  }
  if (kinds.includes('actor')) expanded.actor = byId(await actorsOf(call, [...found.actor], systems));
  return expanded;
}

const named = ({ id, name }: Named): Named => ({ id, name });

function byId<One extends { readonly id: string }>(some: readonly One[]): Record<string, One> {
  return Object.fromEntries(some.map((one) => [one.id, one]));
}

async function actorsOf({ services, reader, caller }: Asker, ids: readonly string[], systems: ReadonlySet<string>) {
  const isReader = caller.companies === null && caller.scopes.includes('audit:read');
  const allowed = isReader ? ids : ids.filter((id) => id === caller.actor.id);
  // People and keys belong to no company, so a named one does not narrow them.
  const whole: Reader = openReader(services.readModels, reader.tenantId, null);
  const [people, keys] = await Promise.all([whole.many(users, allowed), whole.many(apiKeys, allowed)]);
  return [
    ...people.map(({ id, displayName, email }) => ({ id, type: 'user' as const, name: displayName ?? email })),
    ...keys.map(({ id, name }) => ({ id, type: 'api-key' as const, name })),
    ...[...systems].map((id) => ({ id, type: 'system' as const, name: id })),
  ];
}

/** Resources are trees of a few levels; what is deeper holds no ids of theirs. */
function collect(value: unknown, found: Found, systems: Set<string>, levels: number): void {
  if (levels === 0 || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, found, systems, levels - 1);
    return;
  }
  const { entityType, entityId } = value as { entityType?: unknown; entityId?: unknown };
  const entity = typeof entityType === 'string' ? ENTITIES[entityType] : undefined;
  if (entity !== undefined && typeof entityId === 'string') found[entity].add(entityId);
  for (const [name, member] of Object.entries(value)) {
    const kind = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    if (kind !== undefined) for (const id of [member].flat()) if (typeof id === 'string') found[kind].add(id);
    if (name === 'actor') actorIn(member, found, systems);
    else if (kind === undefined) collect(member, found, systems, levels - 1);
  }
}

function actorIn(actor: unknown, found: Found, systems: Set<string>): void {
  const { type, id } = (actor ?? {}) as { type?: unknown; id?: unknown };
  if (typeof id !== 'string') return;
  if (type === 'system' || type === 'operator') systems.add(id);
  else found.actor.add(id);
}
