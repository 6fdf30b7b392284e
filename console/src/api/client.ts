import { computed } from '@preact/signals';
import { BankClient } from '../../../sdk/src/index.ts';
import { accessToken, renewedToken, SignedOutError } from '../session/access-token.ts';
import { company, sessionEnded } from '../session/session.ts';
import { parseExactJson } from './exact-json.ts';
import { news } from './news.ts';

async function token(): Promise<string> {
  try {
    return await accessToken();
  } catch (error) {
    if (error instanceof SignedOutError) sessionEnded();
    throw error;
  }
}

/** Of the last write from this page. What is read soon after includes it, however far the read models are behind. */
let written: { readonly position: string; readonly at: number } | null = null;
const REMEMBERED_MS = 30_000;

async function sendInOrder(url: string, init: RequestInit): Promise<Response> {
  const isRead = init.method === 'GET';
  const headers = new Headers(init.headers);
  if (isRead && written !== null && Date.now() - written.at < REMEMBERED_MS) {
    headers.set('x-min-log-position', written.position);
  }
  const response = await send(url, { ...init, headers });
  if (!isRead && response.ok) news.value += 1;
  const position = isRead ? null : response.headers.get('x-log-position');
  if (position !== null && (written === null || position > written.position)) written = { position, at: Date.now() };
  return response;
}

/** Once more with a new token where the service refuses the old one, as after its keys have changed. */
async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.status !== 401) return response;
  const headers = new Headers(init.headers);
  try {
    headers.set('authorization', `Bearer ${await renewedToken()}`);
  } catch (error) {
    if (error instanceof SignedOutError) sessionEnded();
    return response;
  }
  return await fetch(url, { ...init, headers });
}

const client = new BankClient({
  baseUrl: location.origin,
  accessToken: token,
  fetch: sendInOrder,
  parseJson: parseExactJson,
  maxAttempts: 2,
});

const chosen = computed(() => (company.value === null ? client : client.with({ company: company.value })));

/** Calls the service for the company that is chosen in the side bar, or for all of them. */
export function api(): BankClient {
  return chosen.value;
}

/** For a write: it names the company that owns what is written. */
export function apiOf(companyId: string): BankClient {
  return client.with({ company: companyId });
}
