import { exactlyOnce } from '../support/exactly-once.ts';

exactlyOnce('the embedded log', async () => ({ environment: {}, stop: async () => {} }));
