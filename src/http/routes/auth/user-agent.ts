import { MOST_USER_AGENT } from '../../../events/session.ts';

/**
 * What the client calls itself, as a session keeps it: without control and other invisible characters, cut to its
 * length. Absent where nothing is left.
 */
export function userAgentOf(header: (name: string) => string | null): { readonly userAgent?: string } {
  const text = (header('user-agent') ?? '').replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const userAgent = text
    .slice(0, MOST_USER_AGENT)
    .trim()
    .replace(/[\ud800-\udbff]$/, '');
  return userAgent === '' ? {} : { userAgent };
}
