import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { chooseTheme, type Theme, theme } from '../session/theme.ts';
import type { Group, Reference } from './document.ts';
import { found } from './find.ts';
import { Method } from './method.tsx';
import { navigate, to } from './place.ts';

type Props = {
  readonly reference: Reference | null;
  /** The operation, `errors`, or nothing for the overview. */
  readonly at: string | undefined;
  readonly isOpen: boolean;
};

/** The groups in the document's order, and a filter over all of them; Enter goes to the first that is left. */
export function Navigation({ reference, at, isOpen }: Props) {
  const [text, setText] = useState('');
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isOpen) element.current?.querySelector('input')?.focus();
  }, [isOpen]);
  const groups = reference?.groups ?? [];
  const shown = found(groups, text);
  const count = shown.reduce((sum, { entries }) => sum + entries.length, 0);
  return (
    <header class={`side ${isOpen ? 'open' : ''}`} ref={element}>
      <a class="brand" href={to()}>
        <Icon name="bookmark" />
        API reference
      </a>
      <form
        class="stack"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = event.currentTarget.querySelector('input')?.value ?? '';
          const first = found(groups, typed)[0]?.entries[0];
          if (typed !== '' && first !== undefined) navigate(to(first.operationId));
        }}
      >
        <SearchField label="Filter operations" value={text} onSearch={setText} />
        <p class="hidden" role="status">
          {text === '' ? '' : `${count} operations`}
        </p>
      </form>
      <nav aria-label="Operations" class="grow">
        <ul>
          <li>
            <a href={to()} aria-current={at === undefined ? 'page' : undefined}>
              Overview
            </a>
          </li>
          <li>
            <a href={to('errors')} aria-current={at === 'errors' ? 'page' : undefined}>
              Error codes
            </a>
          </li>
          {shown.map((group) => (
            <GroupItem key={group.name} group={group} at={at} isFiltered={text !== ''} />
          ))}
        </ul>
        {text !== '' && count === 0 && <p class="muted small none">No operation has all of these words.</p>}
      </nav>
      <Segmented
        label="Theme"
        value={theme.value}
        choices={[
          { value: 'system', label: 'System' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        onChange={(next) => chooseTheme(next as Theme)}
      />
    </header>
  );
}

type GroupProps = { readonly group: Group; readonly at: string | undefined; readonly isFiltered: boolean };

function GroupItem({ group: { name, entries }, at, isFiltered }: GroupProps) {
  const isHere = entries.some(({ operationId }) => operationId === at);
  const [isUnfolded, setUnfolded] = useState(isHere);
  const current = useRef<HTMLAnchorElement>(null);
  // the group of what is shown is open, however one came there
  useEffect(() => {
    if (!isHere) return;
    setUnfolded(true);
    current.current?.scrollIntoView({ block: 'nearest' });
  }, [isHere, at]);
  const isOpen = isFiltered || isUnfolded;
  return (
    <li>
      <button type="button" class="group-fold" aria-expanded={isOpen} onClick={() => setUnfolded(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        <span class="grow">{name}</span>
        <span class="muted small digits">{entries.length}</span>
      </button>
      {isOpen && (
        <ul class="entries">
          {entries.map(({ operationId, method, kind }) => (
            <li key={operationId}>
              <a
                ref={operationId === at ? current : null}
                href={to(operationId)}
                aria-current={operationId === at ? 'page' : undefined}
              >
                {kind === 'operation' && <Method name={method} short />}
                <span class="clip">{operationId}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
