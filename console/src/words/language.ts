import { signal } from '@preact/signals';

export type Language = 'en' | 'tr';
export const LANGUAGES: readonly Language[] = ['en', 'tr'];

/** Of the person, else of the browser; set by the session and by the person's menu. */
export const language = signal<Language>('en');

/** The language of a BCP 47 tag that the console speaks; null for any other. */
export function languageOf(tag: string | null | undefined): Language | null {
  const base = tag?.toLowerCase().split('-')[0];
  return LANGUAGES.find((one) => one === base) ?? null;
}

/**
 * The words of a page or part in every language; a word that one of them lacks does not compile. The answer is a
 * function that returns those of the present language: what calls it while it renders follows a change.
 */
export function words<Words extends object>(all: { readonly en: Words; readonly tr: NoInfer<Words> }): () => Words {
  return () => all[language.value];
}
