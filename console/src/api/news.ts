import { signal } from '@preact/signals';

/** Counts up when this page has written something, or has heard of changes. */
export const news = signal(0);
