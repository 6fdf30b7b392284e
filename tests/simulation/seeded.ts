import { hash } from 'node:crypto';
import { seededRandom } from '../support/random.ts';

/** Independent sequences of one seed, each found by its name: one more draw in one of them changes no other. */
export function sequences(seed: number): (name: string) => () => number {
  return (name) => seededRandom(hash('sha256', `${seed} ${name}`, 'buffer').readUInt32BE(0));
}
