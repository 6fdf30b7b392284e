/** A kind of row; `{name}`, `{no}` and `{month}` in its description are replaced. Amounts in hundredths. */
export type RowKind = {
  readonly code: string;
  readonly incoming: boolean;
  readonly lowest: number;
  readonly highest: number;
  readonly description: string;
  /** `inferred`: the bank states no counterparty; it is taken from the description. */
  readonly party: 'stated' | 'inferred' | 'none';
};

const HOME: readonly RowKind[] = [
  {
    code: 'EFT',
    incoming: true,
    lowest: 50_000,
    highest: 9_000_000,
    description: 'Gelen EFT {name} FATURA {no} ÖDEMESİ',
    party: 'stated',
  },
  {
    code: 'FAST',
    incoming: true,
    lowest: 5_000,
    highest: 4_000_000,
    description: 'FAST {name} sipariş no {no}',
    party: 'stated',
  },
  {
    code: 'HVL',
    incoming: true,
    lowest: 20_000,
    highest: 6_000_000,
    description: 'Gelen Havale - {name} - cari hesap {month}',
    party: 'stated',
  },
  {
    code: 'POS',
    incoming: true,
    lowest: 1_000,
    highest: 900_000,
    description: 'POS SATIŞ HASILATI ÜYE İŞYERİ {no}',
    party: 'none',
  },
  {
    code: 'CEK',
    incoming: true,
    lowest: 500_000,
    highest: 12_000_000,
    description: 'ÇEK TAHSİLATI {no} KEŞİDECİ {name}',
    party: 'inferred',
  },
  {
    code: 'EFT',
    incoming: false,
    lowest: 30_000,
    highest: 8_000_000,
    description: 'Giden EFT {name} FATURA {no}',
    party: 'stated',
  },
  {
    code: 'HVL',
    incoming: false,
    lowest: 30_000,
    highest: 5_000_000,
    description: 'Giden Havale {name} {month} kira bedeli',
    party: 'stated',
  },
  {
    code: 'MAAS',
    incoming: false,
    lowest: 2_500_000,
    highest: 9_000_000,
    description: 'MAAŞ ÖDEMESİ {month} {name}',
    party: 'stated',
  },
  {
    code: 'FTR',
    incoming: false,
    lowest: 8_000,
    highest: 600_000,
    description: 'OTOMATİK ÖDEME ELEKTRİK FATURASI {no}',
    party: 'none',
  },
  {
    code: 'VRG',
    incoming: false,
    lowest: 10_000,
    highest: 3_000_000,
    description: 'VERGİ TAHSİLATI KDV {month} TAHAKKUK {no}',
    party: 'none',
  },
  {
    code: 'MSF',
    incoming: false,
    lowest: 500,
    highest: 15_000,
    description: 'EFT MASRAFI VE BSMV {no}',
    party: 'none',
  },
];

const ABROAD: readonly RowKind[] = [
  {
    code: 'SCT',
    incoming: true,
    lowest: 20_000,
    highest: 3_000_000,
    description: 'SEPA credit transfer {name} invoice INV-{no}',
    party: 'stated',
  },
  {
    code: 'SWF',
    incoming: true,
    lowest: 100_000,
    highest: 9_000_000,
    description: 'SWIFT MT103 {name} /INV/{no}',
    party: 'stated',
  },
  {
    code: 'SCT',
    incoming: false,
    lowest: 10_000,
    highest: 2_000_000,
    description: 'SEPA credit transfer to {name} order {no}',
    party: 'stated',
  },
  {
    code: 'SWF',
    incoming: false,
    lowest: 100_000,
    highest: 5_000_000,
    description: 'Outgoing SWIFT {name} ref {no}',
    party: 'stated',
  },
  {
    code: 'CHG',
    incoming: false,
    lowest: 500,
    highest: 8_000,
    description: 'Correspondent charges OUR {no}',
    party: 'none',
  },
];

export function kindsOf(currency: string): readonly RowKind[] {
  return currency === 'TRY' ? HOME : ABROAD;
}

/** The last row of a day makes the closing balance: cash pooling, as companies arrange it with their banks. */
export const SWEEP = {
  code: 'VRM',
  description: { TRY: 'HAVUZ HESAP VİRMANI', other: 'Cash pooling sweep' },
} as const;

export const MONTHS = [
  'Ocak',
  'Şubat',
  'Mart',
  'Nisan',
  'Mayıs',
  'Haziran',
  'Temmuz',
  'Ağustos',
  'Eylül',
  'Ekim',
  'Kasım',
  'Aralık',
];
