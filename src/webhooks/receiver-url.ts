import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** `open`: receivers in private networks are accepted, and so is http. */
export type ReceiverPolicy = 'public' | 'open';

export type ResolveName = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export const resolveName: ResolveName = (name) => lookup(name, { all: true, verbatim: true });

/** The URL of a receiver as far as it can be judged without asking for its addresses; null when it is refused. */
export function receiverUrl(text: string, policy: ReceiverPolicy): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isAllowed = url.protocol === 'https:' || (policy === 'open' && url.protocol === 'http:');
  if (!isAllowed || url.username !== '' || url.password !== '' || url.hostname === '') return null;
  const address = numericHost(url);
  return address === null || policy === 'open' || isPublicAddress(address) ? url : null;
}

/** The host where it is a number, without brackets. The parser of URLs has normalised every way of writing one. */
export function numericHost({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

/**
 * Whether the receiver may be accepted now. A name that cannot be resolved at the moment may: what it resolves to is
 * checked for each connection.
 */
export async function isReceiverAllowed(
  text: string,
  policy: ReceiverPolicy,
  resolve: ResolveName = resolveName,
): Promise<boolean> {
  const url = receiverUrl(text, policy);
  if (url === null) return false;
  if (policy === 'open' || numericHost(url) !== null) return true;
  const addresses = await resolve(url.hostname).catch(() => []);
  return addresses.every(({ address }) => isPublicAddress(address));
}
