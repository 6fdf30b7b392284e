import { ApiError } from './errors.ts';

/**
 * For operations that a cookie authenticates: a page of another origin must not call them. Browsers state the origin of
 * every POST and DELETE; other clients may leave it out. The scheme is not compared, since a proxy in front may have
 * ended TLS; a browser sends the cookie over TLS alone, except to this machine.
 * @throws ApiError ORIGIN_REFUSED
 */
export function refuseForeignOrigin(header: (name: string) => string | null): void {
  const origin = header('origin');
  if (origin === null) {
    const site = header('sec-fetch-site');
    if (site !== null && site !== 'same-origin' && site !== 'none') throw new ApiError('ORIGIN_REFUSED');
    return;
  }
  if (!URL.canParse(origin) || new URL(origin).host !== hostOf(header('host'))) throw new ApiError('ORIGIN_REFUSED');
}

/** As in a URL: in lower case, and without a port that is the scheme's own. */
function hostOf(host: string | null): string | null {
  const url = `http://${host}`;
  return host !== null && URL.canParse(url) ? new URL(url).host : null;
}
