import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/**
 * The client's address. Of `x-forwarded-for` only the entries added by our own proxies are trusted: with n proxies the
 * nth entry from the right, which the outermost one saw. A client can write anything left of that.
 */
export function clientAddress(context: Context, trustedProxies: number): string {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  const socket = incoming?.socket?.remoteAddress ?? 'unknown';
  if (trustedProxies === 0) return socket;
  const seen = (context.req.header('x-forwarded-for') ?? '').split(',').map((entry) => entry.trim());
  return seen.slice(-trustedProxies)[0] || socket;
}
