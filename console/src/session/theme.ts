import { signal } from '@preact/signals';
import { keep, kept } from './storage.ts';

export type Theme = 'system' | 'light' | 'dark';

const chosen = kept('theme', null);
/** Of this browser, not of a person; public/theme.js applies it before the first paint. */
export const theme = signal<Theme>(chosen === 'light' || chosen === 'dark' ? chosen : 'system');

export function chooseTheme(next: Theme): void {
  theme.value = next;
  keep('theme', null, next === 'system' ? null : next);
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}
