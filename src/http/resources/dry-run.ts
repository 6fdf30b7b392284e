import type { DryRun } from '../../providers/bank-provider.ts';
import { jsonNumber } from '../core/json-number.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

const sourceFaultSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  source: z.string(),
  place: z.string().nullable(),
});

export const dryRunSchema = z
  .strictObject({
    file: z.string(),
    format: z.string().nullable().openapi({ description: 'Null for a file of no known kind.', example: 'CSV' }),
    charset: z.string().nullable(),
    accounts: z.array(
      z.strictObject({
        providerAccountId: z.string(),
        currency: z.string(),
        iban: z.string().nullable(),
        accountNo: z.string().nullable(),
        accountName: z.string().nullable(),
        balance: z.number().nullable(),
        availableBalance: z.number().nullable(),
      }),
    ),
    rowCount: z.int().min(0).openapi({ description: 'The rows of the whole file.' }),
    rows: z
      .array(
        z.strictObject({
          providerAccountId: z.string(),
          transactionDate: instant,
          incoming: z.boolean(),
          amount: z.number(),
          balance: z.number().nullable(),
          currency: z.string(),
          description: z.string().nullable(),
          nameSurname: z.string().nullable(),
          iban: z.string().nullable(),
          idNo: z.string(),
          code: z.string().nullable(),
          findAI: z.boolean(),
        }),
      )
      .openapi({ description: 'The first 20 rows, as they would be imported.' }),
    refused: z.array(sourceFaultSchema).openapi({ description: 'What cannot be imported; it would fail the sync.' }),
    notes: z.array(sourceFaultSchema),
  })
  .openapi('DryRun');

export function dryRunResource(dryRun: DryRun): z.input<typeof dryRunSchema> {
  const { file, format, charset, accounts, rowCount, rows, refused, notes } = dryRun;
  const numberOr = (amount: string | null) => (amount === null ? null : jsonNumber(amount));
  return {
    file,
    format,
    charset,
    accounts: accounts.map(
      ({ providerAccountId, currency, iban, accountNo, accountName, balance, availableBalance }) => {
        const balances = { balance: numberOr(balance), availableBalance: numberOr(availableBalance) };
        return { providerAccountId, currency, iban, accountNo, accountName, ...balances };
      },
    ),
    rowCount,
    rows: rows.map((row) => {
      const { providerAccountId, transactionDate, incoming, currency, description } = row;
      const { nameSurname, iban, idNo, code, findAI } = row;
      const money = { amount: jsonNumber(row.amount), balance: numberOr(row.balance), currency };
      return {
        providerAccountId,
        transactionDate,
        incoming,
        ...money,
        description,
        nameSurname,
        iban,
        idNo,
        code,
        findAI,
      };
    }),
    refused: [...refused],
    notes: [...notes],
  };
}
