import { useId, useRef, useState } from 'preact/hooks';
import { useDebounced } from '../api/use-debounced.ts';
import { useLoad } from '../api/use-load.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { navigate } from '../router.ts';
import { common } from '../words/index.ts';
import { fixedEntries, foundEntries, type PaletteEntry } from './palette-entries.tsx';

type Props = { readonly onClose: () => void; readonly onKeys: () => void };

const MOST = 12;

/** Pages, actions, accounts, rules, and a transaction by id, amount or text. */
export function Palette({ onClose, onKeys }: Props) {
  const w = common().frame;
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const wanted = useDebounced(text.trim());
  const found = useLoad(wanted, (signal) => foundEntries(wanted, signal));
  const needle = text.trim().toLocaleLowerCase();
  const fixed = fixedEntries({ onKeys }).filter(({ label }) => label.toLocaleLowerCase().includes(needle));
  const entries = [...fixed, ...(needle === '' ? [] : (found.data?.entries ?? []))].slice(0, MOST);
  const chosen = Math.min(active, entries.length - 1);
  const choose = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    if (entry.href !== undefined) navigate(entry.href);
    entry.run?.();
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = (chosen + step + entries.length) % Math.max(1, entries.length);
      setActive(next);
      list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(entries[chosen]);
    }
  };
  return (
    <Dialog title={w.palette} onClose={onClose} class="palette" bare>
      <input
        ref={(input) => input?.focus()}
        class="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={entries.length > 0 ? `${id}-${chosen}` : undefined}
        aria-label={w.palette}
        placeholder={w.paletteHint}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <ul id={id} ref={list} role="listbox" aria-label={w.palette}>
        {entries.map((entry, index) => (
          <li
            key={entry.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => choose(entry)}
          >
            <Icon name={entry.icon} />
            <span class="clip">{entry.label}</span>
            {entry.note}
          </li>
        ))}
      </ul>
      {found.data?.isPart && needle !== '' && (
        <p class="state small muted" role="status">
          {w.paletteSome}
        </p>
      )}
      {entries.length === 0 && !found.isLoading && <p class="state muted">{w.paletteNone}</p>}
    </Dialog>
  );
}
