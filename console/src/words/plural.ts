import type { Language } from './language.ts';

type Forms = { readonly one?: string; readonly other: string };

const rules: Record<Language, Intl.PluralRules> = { en: new Intl.PluralRules('en'), tr: new Intl.PluralRules('tr') };
const numbers: Record<Language, Intl.NumberFormat> = {
  en: new Intl.NumberFormat('en'),
  tr: new Intl.NumberFormat('tr'),
};

/** The form for the count, with `#` replaced by it as the language writes numbers. */
export function plural(language: Language, count: number, forms: Forms): string {
  const form = rules[language].select(count) === 'one' ? (forms.one ?? forms.other) : forms.other;
  return form.replace('#', numbers[language].format(count));
}
