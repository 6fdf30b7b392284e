// The tour on the runtime that runs this, against the service that the environment names.
import process from 'node:process';
import { tour } from './tour.js';

const runtime = 'Deno' in globalThis ? 'Deno' : 'Bun';
const { BANK_URL, BANK_API_KEY, BANK_API_SECRET, BANK_COMPANY, BANK_EMAIL, BANK_PASSWORD } = process.env;
const count = await tour({
  baseUrl: BANK_URL,
  apiKey: BANK_API_KEY,
  apiSecret: BANK_API_SECRET,
  company: BANK_COMPANY,
  seed: runtime,
  email: BANK_EMAIL,
  password: BANK_PASSWORD,
});
process.stdout.write(`${runtime}: ${count} transactions\n`);
