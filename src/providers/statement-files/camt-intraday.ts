import { type Decimal, fromUnits, toUnits } from '../../shared/money.ts';
import { xmlAmount } from './amount.ts';
import {
  type Intraday,
  type Statement,
  type StatementBalance,
  StatementFault,
  type StatementRow,
} from './statement.ts';
import { at, textAt, type XmlNode } from './xml.ts';

export type CamtBalance = StatementBalance & { readonly type: string; readonly currency: string };

type Change = { readonly currency: string; readonly change: bigint };

/** The amount of a pending entry (PDNG); null for an entry with any other status. @throws StatementFault */
export function pendingChange(entry: XmlNode, place: string): Change | null {
  if ((textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts')) !== 'PDNG') return null;
  const currency = textAt(at(entry, 'Amt'), '@Ccy');
  const indicator = textAt(entry, 'CdtDbtInd');
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) {
    throw new StatementFault('an entry has no currency (Amt Ccy)', place);
  }
  if (indicator !== 'CRDT' && indicator !== 'DBIT') {
    throw new StatementFault('an entry is neither CRDT nor DBIT (CdtDbtInd)', place);
  }
  const units = toUnits(xmlAmount(textAt(entry, 'Amt') ?? '', place));
  return { currency, change: indicator === 'CRDT' ? units : -units };
}

type Stated = Pick<Statement, 'opening' | 'closing' | 'available'> & { readonly intraday: Intraday };

export type IntradaySums = {
  readonly addPending: (change: Change) => void;
  readonly addBooked: (currency: string, row: Pick<StatementRow, 'amount' | 'incoming'>) => void;
  /** @param createdAt when the report was created, as it states it */
  readonly statedOf: (balances: readonly CamtBalance[], currency: string, createdAt: string | null) => Stated;
};

/** Sums up an intraday report by currency. */
export function openIntradaySums(): IntradaySums {
  const pending = new Map<string, bigint>();
  const booked = new Map<string, bigint>();
  const add = (sums: Map<string, bigint>, currency: string, change: bigint): void => {
    sums.set(currency, (sums.get(currency) ?? 0n) + change);
  };
  return {
    addPending: ({ currency, change }) => add(pending, currency, change),
    addBooked: (currency, { amount, incoming }) => add(booked, currency, incoming ? toUnits(amount) : -toUnits(amount)),
    statedOf(balances, currency, createdAt) {
      const own = balances.filter((balance) => balance.currency === currency);
      const last = (type: string) => own.findLast((balance) => balance.type === type);
      const interim = own.filter(({ type }) => type === 'ITBD');
      const closing = last('CLBD') ?? interim.at(-1) ?? null;
      const opening = last('OPBD') ?? last('PRCD') ?? (interim.length > 1 ? interim[0] : undefined);
      // A report may list only what is new since the previous one: its rows then do not start from the opening balance.
      const isWhole =
        opening !== undefined &&
        closing !== null &&
        toUnits(opening.amount) + (booked.get(currency) ?? 0n) === toUnits(closing.amount);
      const days = own.map(({ day }) => day).sort();
      return {
        opening: isWhole ? bare(opening) : null,
        closing: closing === null ? null : bare(closing),
        available: (last('ITAV') ?? last('CLAV'))?.amount ?? null,
        intraday: { asOf: createdAt ?? days.at(-1) ?? '', pending: fromUnits(pending.get(currency) ?? 0n) },
      };
    },
  };
}

function bare({ amount, day }: { amount: Decimal; day: string }): StatementBalance {
  return { amount, day };
}
