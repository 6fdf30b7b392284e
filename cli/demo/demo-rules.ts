import type { CreateRuleRequest } from '../../sdk/src/index.ts';

/** The two companies of the demo tenant. */
export const ISTANBUL = 'demo-istanbul';
export const BERLIN = 'demo-berlin';

type DemoRule = CreateRuleRequest & { readonly company: string };

function toAccount(externalId: string, label: string): DemoRule['actions'] {
  return [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'ledger-account', externalId, label } }];
}

/** Account numbers are those of the Turkish uniform chart of accounts and of the German SKR 03. */
export const demoRules: readonly DemoRule[] = [
  {
    company: ISTANBUL,
    name: 'Vergi ödemeleri',
    description: 'KDV and other taxes that the bank collects, regardless of letter case and of dotted or dotless i.',
    conditions: {
      combinator: 'all',
      children: [
        { field: 'incoming', operator: 'equals', value: false },
        { field: 'description', operator: 'starts_with', value: 'vergi tahsilatı' },
      ],
    },
    actions: toAccount('360', 'Ödenecek vergi ve fonlar'),
    tags: ['vergi'],
  },
  {
    company: ISTANBUL,
    name: 'Maaş ödemeleri',
    description: 'Salaries, by the bank’s operation code.',
    conditions: {
      combinator: 'all',
      children: [
        { field: 'code', operator: 'equals', value: 'MAAS' },
        { field: 'currency', operator: 'equals', value: 'TRY' },
      ],
    },
    actions: toAccount('335', 'Personele borçlar'),
    tags: ['maaş'],
  },
  {
    company: ISTANBUL,
    name: 'Bank charges at home and abroad',
    description: 'EFT fees with BSMV, and correspondent charges.',
    conditions: {
      combinator: 'any',
      children: [
        { field: 'code', operator: 'in', value: ['MSF', 'CHG'] },
        { field: 'description', operator: 'matches', value: '\\b(bsmv|charges our)\\b' },
      ],
    },
    actions: toAccount('780', 'Finansman giderleri'),
    tags: ['bank-charges'],
  },
  {
    company: ISTANBUL,
    name: 'Export receipts with an invoice number',
    description: 'SEPA and SWIFT receipts in foreign currency that name one of our invoices.',
    conditions: {
      combinator: 'all',
      children: [
        {
          combinator: 'all',
          children: [
            { field: 'incoming', operator: 'equals', value: true },
            { field: 'currency', operator: 'in', value: ['EUR', 'USD', 'GBP'] },
          ],
        },
        { field: 'description', operator: 'matches', value: 'inv[-/]\\d{6,}' },
      ],
    },
    actions: toAccount('120', 'Alıcılar'),
    tags: ['export', 'receivable'],
  },
  {
    company: BERLIN,
    name: 'Customer receipts',
    description: 'Payments that name an invoice, from the delivered bank statements.',
    conditions: {
      combinator: 'all',
      children: [
        { field: 'bankCode', operator: 'equals', value: 'statement-files' },
        {
          combinator: 'all',
          children: [
            { field: 'incoming', operator: 'equals', value: true },
            { field: 'description', operator: 'contains', value: 'INV-2026-' },
          ],
        },
      ],
    },
    actions: toAccount('1400', 'Forderungen aus Lieferungen und Leistungen'),
    tags: ['receivable'],
  },
];
