import { sequences } from './seeded.ts';
import { NO_BANK_FAULTS } from './simulated-bank.ts';
import type { FaultPlan } from './world.ts';

/** Half of them are of one instance. */
const INSTALLATIONS: readonly FaultPlan['instances'][] = [
  ['all'],
  ['all'],
  ['all'],
  ['all', 'all'],
  ['all', 'all', 'all'],
  ['api', 'worker'],
];

/**
 * Which faults the life of a seed has. Each kind is left out of half of the lives: with all of them at once some would
 * hide others.
 */
export function planFaults(seed: number): FaultPlan {
  const random = sequences(seed)('plan');
  const sometimes = (most: number): number => (random() < 0.5 ? 0 : most * random());
  const store = () => ({
    refused: sometimes(0.02),
    answerLost: sometimes(0.03),
    delayed: sometimes(0.02),
    repeated: sometimes(0.03),
    interrupted: sometimes(0.03),
    slow: sometimes(0.01),
  });
  return {
    instances: INSTALLATIONS[Math.floor(random() * INSTALLATIONS.length)] ?? ['all'],
    secondTenant: random() < 0.25,
    log: store(),
    readStore: store(),
    bank: {
      ...NO_BANK_FAULTS,
      transient: sometimes(0.2),
      rateLimited: sometimes(0.05),
      permanent: sometimes(0.05),
      unforeseen: sometimes(0.05),
      silent: sometimes(0.05),
      repeatedPage: sometimes(0.3),
      reordered: sometimes(0.5),
    },
    stepsToCrash: random() < 0.4 ? 0 : 500 + random() * 6_000,
    stepsToFreeze: random() < 0.5 ? 0 : 500 + random() * 6_000,
    clockJumpsMs: random() < 0.5 ? 0 : 3_000 + random() * 20_000,
    leaseLossesMs: random() < 0.7 ? 0 : 3_000 + random() * 20_000,
  };
}
