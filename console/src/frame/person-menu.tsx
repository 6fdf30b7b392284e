import { useSignal } from '@preact/signals';
import { api } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Popover } from '../parts/popover.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { Select } from '../parts/select.tsx';
import { toastFailure } from '../parts/toast.tsx';
import { chooseLanguage, person, signOut, timeZone } from '../session/session.ts';
import { chooseTheme, type Theme, theme } from '../session/theme.ts';
import { common } from '../words/index.ts';
import { LANGUAGES, language, languageOf } from '../words/language.ts';

const NAMES = { en: 'English', tr: 'Türkçe' } as const;

/** Who is signed in, and their language, time zone and theme; the first two are kept in their profile. */
export function PersonMenu() {
  const w = common();
  const isBusy = useSignal(false);
  const who = person.value;
  if (!who) return null;
  const name = who.displayName ?? who.email;
  const keep = (change: { locale: string } | { timezone: string }): void => {
    api()
      .changeMe(change)
      .catch((error: unknown) => toastFailure(w.do.save, error));
  };
  const label = (
    <>
      <span aria-hidden="true">{initials(name)}</span>
      <span class="hidden">{w.frame.account(name)}</span>
    </>
  );
  return (
    <Popover label={label} align="end" class="person">
      {() => (
        <div class="stack">
          <div>
            <p>
              <strong>{name}</strong>
            </p>
            <p class="small muted">
              {who.email} · {who.role}
            </p>
          </div>
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
          <Segmented
            label={w.frame.theme}
            value={theme.value}
            choices={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: w.frame.themes[value] }))}
            onChange={(chosen) => chooseTheme(chosen as Theme)}
          />
          <Button
            busy={isBusy.value}
            onClick={() => {
              isBusy.value = true;
              signOut().catch(() => undefined);
            }}
          >
            {w.frame.signOut}
          </Button>
        </div>
      )}
    </Popover>
  );
}

function zones(own: string): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return [...new Set([own, 'UTC', ...known])];
}

function initials(name: string): string {
  const words = (name.split('@')[0] ?? '').split(/[\s._-]+/).filter((word) => word !== '');
  const letters = words.length > 1 ? `${words[0]?.[0]}${words.at(-1)?.[0]}` : (words[0] ?? '').slice(0, 2);
  return letters.toLocaleUpperCase(language.value);
}
