import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Popover } from '../../parts/popover.tsx';
import { navigate, to } from '../../router.ts';
import { person } from '../../session/session.ts';
import { keep, kept } from '../../session/storage.ts';
import { common } from '../../words/index.ts';
import { pageWords } from './words.ts';

type View = { readonly name: string; readonly search: string };

const KEY = 'views';

function keptViews(): readonly View[] {
  try {
    return JSON.parse(kept(KEY, person.value?.id ?? null) ?? '[]') as View[];
  } catch {
    return [];
  }
}

/** Filters, order and columns under a name, in this browser; without what is open and without a past moment. */
function searchToKeep(): string {
  const query = new URLSearchParams(location.search);
  query.delete('open');
  query.delete('asOf');
  return query.toString();
}

export function SavedViews() {
  const w = pageWords();
  return (
    <Popover label={w.views} icon="bookmark">
      {(close) => <Views onClose={close} />}
    </Popover>
  );
}

function Views({ onClose }: { readonly onClose: () => void }) {
  const w = pageWords();
  const [views, setViews] = useState(keptViews);
  const [name, setName] = useState('');
  const store = (next: readonly View[]): void => {
    setViews(next);
    keep(KEY, person.value?.id ?? null, JSON.stringify(next));
  };
  return (
    <div class="stack">
      <ul class="menu">
        {views.map((view) => (
          <li key={view.name} class="row">
            <button
              type="button"
              class="grow"
              onClick={() => {
                navigate(`${to('transactions')}?${view.search}`);
                onClose();
              }}
            >
              {view.name}
            </button>
            <Button
              kind="quiet"
              icon="close"
              label={w.removeView(view.name)}
              onClick={() => store(views.filter((one) => one !== view))}
            />
          </li>
        ))}
      </ul>
      {views.length === 0 && <p class="muted small">{w.noViews}</p>}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const named = name.trim();
          if (named === '') return;
          store([...views.filter((view) => view.name !== named), { name: named, search: searchToKeep() }]);
          setName('');
        }}
      >
        <TextField label={w.viewName} value={name} onInput={setName} maxLength={60} />
        <Button type="submit" disabled={name.trim() === ''}>
          {w.saveView}
        </Button>
      </form>
      <Button kind="quiet" onClick={onClose}>
        {common().do.close}
      </Button>
    </div>
  );
}
