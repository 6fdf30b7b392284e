import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { isTyping } from '../parts/search-field.tsx';
import { Toasts } from '../parts/toast.tsx';
import { common } from '../words/index.ts';
import { AsOfBand, AsOfButton } from './as-of.tsx';
import { Keys } from './keys.tsx';
import { Palette } from './palette.tsx';
import { PersonMenu } from './person-menu.tsx';
import { SideBar } from './side-bar.tsx';

type Props = { readonly heading: string; readonly page: string; readonly children: ComponentChildren };

/** Side bar, head bar and what lies over every page: palette, keys, toasts. */
export function Frame({ heading, page, children }: Props) {
  const w = common().frame;
  const [over, setOver] = useState<'palette' | 'keys' | null>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => {
    document.title = `${heading} · ${common().product}`;
  }, [heading]);
  // a step to another page closes the menu
  useEffect(() => setMenuOpen(false), [page]);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        setOver('palette');
      } else if (event.key === '?' && !isTyping(event.target)) setOver('keys');
      else if (event.key === 'Escape') setMenuOpen(false);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {w.skip}
      </a>
      <SideBar page={page} isOpen={isMenuOpen} />
      {isMenuOpen && (
        <button type="button" class="side-shade" aria-label={w.closeMenu} onClick={() => setMenuOpen(false)} />
      )}
      <main class="main">
        <div class="head">
          <Button class="menu-button" icon="menu" expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)}>
            <span class="words-if-wide">{w.menu}</span>
          </Button>
          <h1 class="clip">{heading}</h1>
          <AsOfButton />
          <Button icon="search" kind="quiet" onClick={() => setOver('palette')}>
            <span class="hidden">{w.find}</span>
            <kbd class="wide-only">Ctrl K</kbd>
          </Button>
          <PersonMenu />
        </div>
        <AsOfBand />
        <div class="page" id="content" tabIndex={-1}>
          {children}
        </div>
      </main>
      {over === 'palette' && <Palette onClose={() => setOver(null)} onKeys={() => setOver('keys')} />}
      {over === 'keys' && <Keys onClose={() => setOver(null)} />}
      <Toasts />
    </div>
  );
}
