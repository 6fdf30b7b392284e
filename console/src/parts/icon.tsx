const PATHS = {
  overview: 'M2 9h5V2H2zM9 14h5V7H9zM2 14h5v-3H2zM9 5h5V2H9z',
  transactions: 'M2 4h12M2 8h12M2 12h8',
  review: 'M2 9h3.5l1 2h3l1-2H14M2 9l2-6h8l2 6v4H2z',
  rules: 'M3 3v4a2 2 0 0 0 2 2h8M10 6l3 3-3 3M3 13V9',
  connections: 'M6 10 10 6M7 4l1-1a3 3 0 0 1 4.5 4.5l-1 1M9 12l-1 1a3 3 0 0 1-4.5-4.5l1-1',
  analytics: 'M2 14h12M4 12V7M8 12V3M12 12V9',
  audit: 'M8 2a6 6 0 1 1-5.6 4M2 2v4h4M8 5v3l2 2',
  administration:
    'M6 7a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 14a4.5 4.5 0 0 1 9 0M11 2.5a2.5 2.5 0 0 1 0 4.5M12 9.8a4.5 4.5 0 0 1 2.5 4.2',
  webhooks: 'M2 3h12v7H7l-3 3v-3H2z',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4 6 8l4 4',
  add: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3',
  copy: 'M6 6h8v8H6zM10 6V2H2v8h4',
  check: 'M3 8l3 3 7-7',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3l2 2',
  person: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14a5.5 5.5 0 0 1 11 0',
  download: 'M8 2v8M5 7l3 3 3-3M3 13h10',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
  bookmark: 'M4 2h8v12l-4-3-4 3z',
  warning: 'M8 2l6.5 12h-13zM8 6v4M8 12v.5',
  up: 'M4 10l4-4 4 4',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside words; never the only thing that says what is meant, so screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
