import { en } from './en.ts';
import { words } from './language.ts';
import { tr } from './tr.ts';

/** The words of frame and parts in the present language. */
export const common = words({ en, tr });
