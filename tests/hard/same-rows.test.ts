import { describe, it } from 'vitest';
import { holdsForAnySplit } from '../providers/statement-files/same-rows.property.ts';

describe('the same rows in other files, a thousand times', () => {
  it('are the same transactions, however they are split, ordered, written and delivered again', async () => {
    await holdsForAnySplit(1_000);
  });
});
