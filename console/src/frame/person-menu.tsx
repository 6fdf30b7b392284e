import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { OwnSettings } from '../parts/own-settings.tsx';
import { Popover } from '../parts/popover.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { to } from '../router.ts';
import { person, signOut } from '../session/session.ts';
import { chooseTheme, type Theme, theme } from '../session/theme.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';
import { withMoment } from './as-of-moment.ts';

/** Who is signed in, with the way to their profile; language, time zone and theme. */
export function PersonMenu() {
  const w = common();
  const isBusy = useSignal(false);
  const who = person.value;
  if (!who) return null;
  const name = who.displayName ?? who.email;
  const label = (
    <>
      <span aria-hidden="true">{initials(name)}</span>
      <span class="hidden">{w.frame.account(name)}</span>
    </>
  );
  return (
    <Popover label={label} align="end" class="person">
      {(close) => (
        <div class="stack">
          <div>
            <p>
              <strong>{name}</strong>
            </p>
            <p class="small muted">
              {who.email} · {w.roles[who.role]}
            </p>
          </div>
          <OwnSettings />
          <Segmented
            label={w.frame.theme}
            value={theme.value}
            choices={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: w.frame.themes[value] }))}
            onChange={(chosen) => chooseTheme(chosen as Theme)}
          />
          <a href={withMoment(to('profile'))} onClick={close}>
            {w.pages.profile}
          </a>
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

function initials(name: string): string {
  const words = (name.split('@')[0] ?? '').split(/[\s._-]+/).filter((word) => word !== '');
  const letters = words.length > 1 ? `${words[0]?.[0]}${words.at(-1)?.[0]}` : (words[0] ?? '').slice(0, 2);
  return letters.toLocaleUpperCase(language.value);
}
