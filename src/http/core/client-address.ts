import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/**
 * Where the request comes from. Of `x-forwarded-for` only the entries that our own proxies have added are believed:
 * with n of them in front the nth from the right, which is what the outermost saw. A client can write whatever it likes
 * left of that.
 */
export function clientAddress(context: Context, trustedProxies: number): string {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  const socket = incoming?.socket?.remoteAddress ?? 'unknown';
  if (trustedProxies === 0) return socket;
  const seen = (context.req.header('x-forwarded-for') ?? '').split(',').map((entry) => entry.trim());
  return seen.slice(-trustedProxies)[0] || socket;
}
