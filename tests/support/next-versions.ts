import { projections } from '../../src/projections/all.ts';
import './slow-folds.ts';

// Loaded before `src/main.ts`, it increases the version of every read model, as a release that changed them all would.
for (const projection of projections) Object.assign(projection, { version: projection.version + 1 });
