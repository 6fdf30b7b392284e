import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';
import { Popover } from './popover.tsx';

export type MenuItem = {
  readonly label: string;
  readonly onChoose: () => void;
  readonly icon?: IconName;
  /** One of several of which one holds, or a switch. */
  readonly checked?: boolean;
  readonly danger?: boolean;
  readonly disabled?: boolean;
};

type Props = {
  readonly label?: ComponentChildren;
  readonly name?: string;
  readonly icon?: IconName;
  readonly kind?: 'plain' | 'quiet';
  readonly align?: 'start' | 'end';
  readonly items: readonly MenuItem[];
  /** Stays open after a choice, for switches. */
  readonly stays?: boolean;
};

/** A button with a list of actions: arrows, Home and End move, letters search as the browser does for buttons. */
export function Menu({ label, name, icon, kind = 'plain', align = 'start', items, stays = false }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const move = (event: KeyboardEvent): void => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all[next % all.length]?.focus();
  };
  return (
    <Popover
      label={label}
      popup="menu"
      kind={kind}
      align={align}
      {...(name === undefined ? {} : { name })}
      {...(icon === undefined ? {} : { icon })}
    >
      {(close) => (
        <ul class="menu" role="menu" ref={list} onKeyDown={move}>
          {items.map((item) => (
            <li key={item.label} role="none">
              <button
                type="button"
                role={item.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
                aria-checked={item.checked}
                class={item.danger ? 'bad' : ''}
                disabled={item.disabled}
                onClick={() => {
                  if (!stays) close();
                  item.onChoose();
                }}
              >
                {item.checked !== undefined && <span class="tick">{item.checked && <Icon name="check" />}</span>}
                {item.icon && <Icon name={item.icon} />}
                {item.label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}
