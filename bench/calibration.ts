import { hash } from 'node:crypto';
import { median } from './interleave.ts';

const SAMPLES = 5;
const SAMPLE_MS = 100;
const BATCH = 500;

/** As JSON it has 600 bytes, as most events have. */
const EVENT = {
  type: 'TransactionRecorded',
  id: '01a205f0-f50b-779a-a1ea-8b21ba1200c2',
  metadata: { schemaVersion: 2, tenantId: '01a205f0', companyId: 'company-one', actor: { type: 'system', id: 'sync' } },
  data: {
    accountId: '01a205f0-f6b2-71a5-8690-a4380a3dbb74',
    bankCode: 'demo',
    amount: '-1234.56',
    currency: 'TRY',
    transactionDate: '2026-11-22T09:30:00.000Z',
    description: 'Havale - Kira ödemesi, Kasım 2026, ref. 4711-0815 ',
    counterparty: { name: 'Yıldız Gayrimenkul A.Ş.', iban: 'TR330006100519786457841326', bank: null },
    balanceAfter: '98765.43',
    stamp: 'x'.repeat(51),
  },
};

/**
 * What one thread makes of such an event to JSON, back, and SHA-256: events a second. Rates that are measured in the
 * same run can be compared between machines as parts of it.
 */
export function calibrate(): number {
  const rates = Array.from({ length: SAMPLES }, () => {
    const startedMs = performance.now();
    let events = 0;
    let tookMs = 0;
    while (tookMs < SAMPLE_MS) {
      for (let nth = 0; nth < BATCH; nth += 1) {
        const text = JSON.stringify(EVENT);
        JSON.parse(text);
        hash('sha256', text, 'buffer');
      }
      events += BATCH;
      tookMs = performance.now() - startedMs;
    }
    return (events / tookMs) * 1000;
  });
  return median(rates);
}
