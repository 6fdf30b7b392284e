import { api } from '../api/client.ts';
import { chooseLanguage, person, timeZone } from '../session/session.ts';
import { common } from '../words/index.ts';
import { LANGUAGES, language, languageOf } from '../words/language.ts';
import { Select } from './select.tsx';
import { toastFailure } from './toast.tsx';

const NAMES = { en: 'English', tr: 'Türkçe' } as const;

function keep(change: { readonly locale: string } | { readonly timezone: string }): void {
  api()
    .changeMe(change)
    .then(
      (me) => {
        person.value = me;
      },
      (error: unknown) => toastFailure(common().do.save, error),
    );
}

/** The person's language and time zone. A choice counts at once, and is kept in their profile. */
export function OwnSettings() {
  const w = common();
  return (
    <>
      <Select
        label={w.frame.language}
        value={language.value}
        choices={LANGUAGES.map((value) => ({ value, label: NAMES[value] }))}
        onChange={(chosen) => {
          chooseLanguage(languageOf(chosen) ?? 'en');
          keep({ locale: chosen });
        }}
      />
      <Select
        label={w.frame.timeZone}
        value={timeZone.value}
        choices={zones(timeZone.value).map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
        onChange={(chosen) => {
          timeZone.value = chosen;
          keep({ timezone: chosen });
        }}
      />
    </>
  );
}

function zones(own: string): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return [...new Set([own, 'UTC', ...known])];
}
