import { EXIT_CONFIG, sayError } from '../say.ts';
import { type Api, ApiFailure, openApi } from './api.ts';

/**
 * Runs `work` over the API of the service at the address. A refusal or a missing answer is printed and leads to exit
 * code 1. The credentials come from the environment only. `rights`: what the key needs, for the message when none is
 * set.
 */
export async function onService(url: string, rights: string, use: (api: Api) => Promise<void>): Promise<void> {
  const { BANK_API_KEY: apiKey, BANK_API_SECRET: apiSecret } = process.env;
  if (!apiKey || !apiSecret) {
    sayError(`BANK_API_KEY and BANK_API_SECRET: required, those of a key with ${rights}`);
    process.exitCode = EXIT_CONFIG;
    return;
  }
  try {
    await use(openApi(url, { apiKey, apiSecret }, new AbortController().signal));
  } catch (error) {
    if (!(error instanceof ApiFailure) && !(error instanceof TypeError)) throw error;
    sayError(error instanceof ApiFailure ? error.message : `${url} does not answer`);
    process.exitCode = 1;
  }
}
