import { describe, it } from 'vitest';
import { holdsForAnySplit } from './same-rows.property.ts';

describe('the same rows in other files', () => {
  it('are the same transactions, however they are split, ordered, written and delivered again', async () => {
    // A thousand cases are among the hard tests.
    await holdsForAnySplit(40, 20_250_303);
  });
});
