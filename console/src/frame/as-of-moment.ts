import { computed } from '@preact/signals';
import { navigate, search } from '../router.ts';

/** The moment that every list and figure shows; null means now. It is part of the address of every page. */
export const asOf = computed<string | null>(() => {
  const given = new URLSearchParams(search.value).get('asOf');
  return given === null || Number.isNaN(Date.parse(given)) ? null : given;
});

/** For the query of a call that can look back: `{ asOf }`, or nothing for now. */
export function atMoment(): { asOf?: string } {
  return asOf.value === null ? {} : { asOf: asOf.value };
}

export function lookAt(moment: string | null): void {
  const query = new URLSearchParams(location.search);
  if (moment === null) query.delete('asOf');
  else query.set('asOf', moment);
  const text = query.toString();
  navigate(`${location.pathname}${text === '' ? '' : `?${text}`}`);
}

/** The address of another page, at the same moment. */
export function withMoment(href: string): string {
  if (asOf.value === null) return href;
  return `${href}${href.includes('?') ? '&' : '?'}asOf=${encodeURIComponent(asOf.value)}`;
}
