import { computed, signal } from '@preact/signals';

const BASE = '/docs';

const path = signal(location.pathname);

/** What follows `/docs/`, in parts. */
export const parts = computed<readonly string[]>(() =>
  path.value
    .slice(BASE.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decoded),
);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of an operation, of the error codes, or with nothing of the overview. */
export function to(...names: readonly string[]): string {
  return [BASE, ...names.map(encodeURIComponent)].join('/');
}

export function navigate(href: string): void {
  if (new URL(href, location.href).pathname !== location.pathname) history.pushState(null, '', href);
  path.value = location.pathname;
}

/** Follows links within the reference and the browser's own steps without loading the page anew. */
export function startPlace(): void {
  addEventListener('popstate', () => {
    path.value = location.pathname;
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '') return;
    const url = new URL(link.href);
    const isInside = url.pathname === BASE || url.pathname.startsWith(`${BASE}/`);
    if (url.origin !== location.origin || !isInside || url.hash !== '') return;
    event.preventDefault();
    navigate(url.pathname);
  });
}
