import { describe, it } from 'vitest';
import { recordTheSame } from '../providers/statement-files/unchanged-files.property.ts';

describe('syncs that leave out what is recorded', () => {
  it('record the same as those that list everything in a thousand random histories', async () => {
    await recordTheSame(1_000);
  });
});
