/**
 * What the browser keeps between visits: choices, never data. The keys of a person end with their id and are removed
 * when they sign out; only the theme is the browser's own.
 */
const PREFIX = 'console.';
const OF_BROWSER = new Set(['console.theme']);

function keyOf(name: string, person: string | null): string {
  return person === null ? `${PREFIX}${name}` : `${PREFIX}${name}.${person}`;
}

/** Null where nothing is kept, or storage is switched off. */
export function kept(name: string, person: string | null): string | null {
  try {
    return localStorage.getItem(keyOf(name, person));
  } catch {
    return null;
  }
}

export function keep(name: string, person: string | null, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(keyOf(name, person));
    else localStorage.setItem(keyOf(name, person), value);
  } catch {
    // The choice then lasts as long as the page.
  }
}

/** Everything but what is the browser's own. */
export function forgetAll(): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(PREFIX) && !OF_BROWSER.has(key)) localStorage.removeItem(key);
    }
    sessionStorage.clear();
  } catch {
    // Nothing could be kept, so nothing is left.
  }
}
