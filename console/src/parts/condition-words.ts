import { words } from '../words/language.ts';

/** What rules ask for, as the editor, the versions of a rule and the reasons of a transaction say it. */
export const conditionWords = words({
  en: {
    fields: {
      bankCode: 'Bank',
      accountId: 'Connection',
      subAccountKey: 'Account',
      iban: 'IBAN',
      nameSurname: 'Counterparty',
      idNo: 'Tax or id number',
      description: 'Description',
      code: 'Operation code',
      currency: 'Currency',
      amount: 'Amount',
      balance: 'Balance after it',
      incoming: 'Direction',
      findAI: 'Counterparty inferred',
      transactionDate: 'Booking date',
    },
    operators: {
      equals: 'is',
      not_equals: 'is not',
      in: 'is one of',
      not_in: 'is none of',
      contains: 'contains',
      not_contains: 'does not contain',
      starts_with: 'starts with',
      ends_with: 'ends with',
      matches: 'matches the pattern',
      is_empty: 'is empty',
      is_not_empty: 'is not empty',
      greater_than: 'is more than',
      at_least: 'is at least',
      less_than: 'is less than',
      at_most: 'is at most',
      between: 'is between',
      before: 'is before',
      after: 'is after',
      day_of_month: 'falls on day of month',
    },
  },
  tr: {
    fields: {
      bankCode: 'Banka',
      accountId: 'Bağlantı',
      subAccountKey: 'Hesap',
      iban: 'IBAN',
      nameSurname: 'Karşı taraf',
      idNo: 'Vergi veya kimlik no',
      description: 'Açıklama',
      code: 'İşlem kodu',
      currency: 'Para birimi',
      amount: 'Tutar',
      balance: 'Sonraki bakiye',
      incoming: 'Yön',
      findAI: 'Karşı taraf tahmin edildi',
      transactionDate: 'İşlem tarihi',
    },
    operators: {
      equals: 'şudur',
      not_equals: 'şu değildir',
      in: 'şunlardan biridir',
      not_in: 'şunlardan hiçbiri değildir',
      contains: 'şunu içerir',
      not_contains: 'şunu içermez',
      starts_with: 'şununla başlar',
      ends_with: 'şununla biter',
      matches: 'şu kalıba uyar',
      is_empty: 'boştur',
      is_not_empty: 'boş değildir',
      greater_than: 'şundan fazladır',
      at_least: 'en az şudur',
      less_than: 'şundan azdır',
      at_most: 'en çok şudur',
      between: 'şunların arasındadır',
      before: 'şundan öncedir',
      after: 'şundan sonradır',
      day_of_month: 'ayın şu gününe düşer',
    },
  },
});

/** Of a field that a later release of the service may have added: its own name. */
export function fieldWord(field: string): string {
  return (conditionWords().fields as Readonly<Record<string, string>>)[field] ?? field;
}

/** As fieldWord. */
export function operatorWord(operator: string): string {
  return (conditionWords().operators as Readonly<Record<string, string>>)[operator] ?? operator;
}
