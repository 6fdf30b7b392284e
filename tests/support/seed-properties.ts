import fc from 'fast-check';
import { beforeEach } from 'vitest';

/**
 * For every test file: property tests generate their cases from the run's seed, and a failure states how to reproduce
 * it.
 */
const seed = Number(process.env.PROPERTY_SEED);
if (!Number.isSafeInteger(seed)) throw new Error('the vitest configuration gives no PROPERTY_SEED');
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

beforeEach(({ onTestFailed }) => {
  onTestFailed(({ task }) => {
    const isProperty = task.result?.errors?.some(({ message }) => message.startsWith('Property failed')) ?? false;
    if (isProperty)
      process.stderr.write(`PROPERTY_SEED=${seed} in the environment gives «${task.name}» the same cases again\n`);
  });
});
