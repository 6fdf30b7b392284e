import type { Context } from 'hono';
import type { Answer } from '../core/answer.ts';
import { ApiError } from '../core/errors.ts';
import type { ConsoleFile, ConsoleFiles } from './read-console.ts';

/** Nothing from elsewhere, nothing written into the page: what a transaction's text holds can never run. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** What a browser may use besides what a page needs: nothing. */
const PERMISSIONS_POLICY = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()';

const YEAR_SECONDS = 31_536_000;

/** What can only be a file; the address of a page may hold any other id, and so any other dot. */
const FILE = /^assets\/|\.(css|html|ico|js|json|map|png|svg|txt|webmanifest|woff2|xml)$/;

/** An address below /console is a file of it, or else one of its pages. @throws ApiError ROUTE_NOT_FOUND */
export function consoleAnswer({ index, files }: ConsoleFiles, context: Context): Answer {
  const path = context.req.path.replace(/^\/console\/?/, '');
  const file = path === '' ? index : (files.get(path) ?? (FILE.test(path) ? undefined : index));
  if (file === undefined) throw new ApiError('ROUTE_NOT_FOUND');
  return fileAnswer(file);
}

/** An address below /docs is one of the reference, unless it can only be a file. @throws ApiError ROUTE_NOT_FOUND */
export function referenceAnswer(reference: ConsoleFile, context: Context): Answer {
  if (FILE.test(context.req.path)) throw new ApiError('ROUTE_NOT_FOUND');
  return fileAnswer(reference);
}

function fileAnswer({ type, bytes, codings, isHashed }: ConsoleFile): Answer {
  return {
    status: 200,
    headers: {
      'content-type': type,
      'cache-control': isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      ...(type.startsWith('text/html')
        ? { 'content-security-policy': CONTENT_SECURITY_POLICY, 'permissions-policy': PERMISSIONS_POLICY }
        : {}),
    },
    body: bytes,
    codings,
  };
}

/** Whether a browser asks for a page, rather than a program for data. */
export function wantsPage(context: Context): boolean {
  return (context.req.header('accept') ?? '').includes('text/html');
}
