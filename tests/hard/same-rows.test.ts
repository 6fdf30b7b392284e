import { describe, it } from 'vitest';
import { holdsForAnySplit } from '../providers/statement-files/same-rows.property.ts';

describe('the same rows in other files', () => {
  it('are the same transactions in a thousand random histories', async () => {
    await holdsForAnySplit(1_000);
  });
});
