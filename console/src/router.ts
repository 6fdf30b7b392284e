import { computed, signal } from '@preact/signals';

const BASE = '/console/';

type Place = { readonly path: string; readonly search: string };

function here(): Place {
  return { path: location.pathname, search: location.search };
}

const place = signal<Place>(here());

/** What follows `/console/`, in parts: `/console/rules/7` is `['rules', '7']`. */
export const path = computed<readonly string[]>(() =>
  place.value.path
    .slice(BASE.length)
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decodeURIComponent(part)),
);

/** The query of the address. Pages read it through address.ts. */
export const search = computed(() => place.value.search);

/** Goes to an address of the console; `replace` leaves no step behind, as for every letter of a search. */
export function navigate(href: string, { replace = false } = {}): void {
  const url = new URL(href, location.href);
  if (url.href === location.href) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  place.value = here();
}

/** The address of a page: `to('rules', id)`. */
export function to(...parts: readonly string[]): string {
  return BASE + parts.map(encodeURIComponent).join('/');
}

/** Follows links and the browser's own steps without loading the page anew. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    place.value = here();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || !url.pathname.startsWith(BASE)) return;
    event.preventDefault();
    navigate(link.href);
  });
}
