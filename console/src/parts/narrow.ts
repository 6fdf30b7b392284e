import { signal } from '@preact/signals';

const query = matchMedia('(max-width: 599px)');

/** Whether rows of tables have two lines and drawers cover the screen. */
export const isNarrow = signal(query.matches);

query.addEventListener('change', () => {
  isNarrow.value = query.matches;
});
