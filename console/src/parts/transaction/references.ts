import type { BankTransaction, ExternalReference, TransactionAssignment } from '../../../../sdk/src/index.ts';
import { api, apiOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';

const PART = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const LONGEST_ID = 256;

/** `source:type:id`; what follows the second colon is the id, whatever it holds. Null for anything else. */
export function parseReference(text: string): ExternalReference | null {
  const [source = '', entityType = '', ...rest] = text.trim().split(':');
  const externalId = rest.join(':');
  const isGood = PART.test(source) && PART.test(entityType) && externalId !== '' && externalId.length <= LONGEST_ID;
  return isGood ? { source, entityType, externalId } : null;
}

/** How many calls are under way at once: the service counts them against the tenant's share. */
const AT_ONCE = 4;

export type Done = {
  /** What is there now and was not, or the other way round. */
  readonly assignments: readonly TransactionAssignment[];
  readonly failures: readonly Failure[];
};

async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<readonly TransactionAssignment[]>,
  onProgress: (done: number) => void,
): Promise<Done> {
  const assignments: TransactionAssignment[] = [];
  const failures: Failure[] = [];
  const waiting = [...items];
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        assignments.push(...(await work(item)));
      } catch (error) {
        failures.push(failureOf(error));
      }
      done += 1;
      onProgress(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { assignments, failures };
}

export type Reference = { readonly reference: ExternalReference; readonly tags: readonly string[] };

type Rows = readonly Pick<BankTransaction, 'id' | 'companies'>[];

/** Attaches the reference by hand to each of them. */
export function attachTo(
  rows: Rows,
  { reference, tags }: Reference,
  onProgress = (_: number): void => {},
): Promise<Done> {
  return forEach(
    rows,
    async ({ id, companies }) => [await apiOf(companies).attachAssignment(id, { reference, tags: [...tags] })],
    onProgress,
  );
}

/** Revokes each of these assignments. */
export function revokeAll(
  assignments: readonly TransactionAssignment[],
  reason: string | null,
  onProgress = (_: number): void => {},
): Promise<Done> {
  return forEach(
    assignments,
    async ({ id, transactionId, companies }) => [
      await apiOf(companies).revokeAssignment(transactionId, id, reason === null ? {} : { reason }),
    ],
    onProgress,
  );
}

/** Attaches anew, by hand, what was revoked: a revoked assignment stays revoked. */
export function attachAgain(assignments: readonly TransactionAssignment[]): Promise<Done> {
  return forEach(
    assignments,
    async ({ transactionId, companies, reference, tags }) => [
      await apiOf(companies).attachAssignment(transactionId, { reference, tags }),
    ],
    () => undefined,
  );
}

/** The active assignments of these rows that have the reference. */
export async function assignmentsOf(rows: Rows, referenceKey: string): Promise<TransactionAssignment[]> {
  const found = await forEach(
    rows,
    async ({ id }) => {
      const { items } = await api().listTransactionAssignments(id);
      return items.filter((one) => one.status === 'active' && one.referenceKey === referenceKey);
    },
    () => undefined,
  );
  return [...found.assignments];
}

/** References that were attached lately, each once, to complete what one types. */
export async function recentReferences(signal: AbortSignal): Promise<ExternalReference[]> {
  const { items } = await api().listAssignments({ status: 'active', limit: 200 }, { signal });
  const known = new Map(items.map(({ referenceKey, reference }) => [referenceKey, reference]));
  return [...known.values()].slice(0, 50);
}
