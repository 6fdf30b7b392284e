import { projections } from '../../src/projections/all.ts';

// Loaded before `src/main.ts`, it makes every read model's next version of this one: a release that changed them all.
for (const projection of projections) Object.assign(projection, { version: projection.version + 1 });
