import type { KnownConnection } from '../acknowledged.ts';
import { type Book, signedCents } from '../bank-books.ts';
import type { Client } from '../client.ts';

/** The answer about complete days is what the bank's books say. */
export async function checkCompleteness(
  auditor: Client,
  connections: readonly KnownConnection[],
  today: string,
): Promise<string[]> {
  const faults: string[] = [];
  for (const { id, title, book } of connections) {
    const health = await auditor.ask('GET', `/banks/accounts/${id}/health`);
    if (health === 'unknown' || health.status !== 200) {
      faults.push(`${title}: no health`);
      continue;
    }
    const shown = JSON.stringify(health.result.completeness.map(asGaps));
    const expected = JSON.stringify(book.accounts.map((account) => gapsOf(book, account, today)));
    if (shown !== expected) faults.push(`${title} shows ${shown}, and the bank has ${expected}`);
  }
  return faults;
}

type Shown = { currency: string; status: string; gaps: { day: string; difference: number }[] };

function asGaps({ currency, status, gaps }: Shown) {
  return { currency, status, gaps: gaps.map(({ day, difference }) => [day, Math.round(difference * 100)]) };
}

function gapsOf(book: Book, { currency, rows }: Book['accounts'][number], today: string) {
  const missing = new Map<string, number>();
  for (const row of rows.filter(({ hidden }) => hidden)) {
    missing.set(row.day, (missing.get(row.day) ?? 0) + signedCents(row));
  }
  const gaps = [...missing].filter(([, cents]) => cents !== 0).sort(([one], [other]) => (one < other ? -1 : 1));
  const isChecked = book.bankCode === 'content' && rows.some(({ day }) => day < today);
  return { currency, status: gaps.length > 0 ? 'gaps' : isChecked ? 'complete' : 'unknown', gaps };
}

/** Every seal holds, whichever instances made them. */
export async function checkIntegrity(auditor: Client): Promise<string[]> {
  let from: number | null = 1;
  while (from !== null) {
    const answer = await auditor.ask('GET', `/banks/audit/integrity?fromSeal=${from}`);
    if (answer === 'unknown' || answer.status !== 200) return [`no integrity: ${JSON.stringify(answer)}`];
    if (!answer.result.intact) return [`the history is not intact: ${JSON.stringify(answer.result.fault)}`];
    from = answer.result.nextSeal as number | null;
  }
  return [];
}
