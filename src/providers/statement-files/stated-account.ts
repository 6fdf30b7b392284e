import { statedIban } from './account-number.ts';
import { type StatementAccount, StatementFault } from './statement.ts';

/** An account by its number as the bank writes it, in one currency. @throws StatementFault */
export function statedAccount(
  written: string,
  currency: string,
  place: string,
  more: Partial<Pick<StatementAccount, 'accountType' | 'branchId' | 'accountName'>> = {},
): StatementAccount {
  const number = written.trim();
  if (number === '') throw new StatementFault('the account has no number', place);
  if (number.length > 64) throw new StatementFault('the account number is too long', place);
  const code = currency.trim().toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) throw new StatementFault('a currency is not a code of three letters', place);
  const iban = statedIban(number);
  return {
    key: `${iban ?? number.replace(/\s+/g, '').toUpperCase()}/${code}`,
    iban,
    accountNo: iban === null ? number : null,
    currency: code,
    accountName: null,
    accountType: null,
    branchId: null,
    branchName: null,
    ...more,
  };
}
