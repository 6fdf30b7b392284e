import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const AFTER_MS = 150;

type Props = {
  readonly label: string;
  readonly value: string;
  /** 150 ms after the last key. */
  readonly onSearch: (text: string) => void;
};

/** Searches while one types; the key `/` leads here. */
export function SearchField({ label, value, onSearch }: Props) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef({ value, onSearch });
  latest.current = { value, onSearch };
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === latest.current.value) return;
    const timer = setTimeout(() => latest.current.onSearch(text), AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    const slash = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', slash);
    return () => document.removeEventListener('keydown', slash);
  }, []);
  return (
    <label class="search">
      <Icon name="search" />
      <span class="hidden">{label}</span>
      <input
        ref={input}
        class="input"
        type="search"
        placeholder={label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

/** Whether a key belongs to what is being written. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}
