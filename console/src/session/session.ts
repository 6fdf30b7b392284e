import { batch, computed, signal } from '@preact/signals';
import type { Me } from '../../../sdk/src/index.ts';
import { asOf } from '../frame/as-of-moment.ts';
import { type Language, language, languageOf } from '../words/language.ts';
import { hasRight, type Right } from './access.ts';
import { closeSession, forgetToken, openSession } from './access-token.ts';
import { forgetAll, keep, kept } from './storage.ts';

/** Undefined until it is known whether somebody is signed in. */
export const person = signal<Me | null | undefined>(undefined);
/** Null: all companies of the tenant. */
export const company = signal<string | null>(null);
export const timeZone = signal(Intl.DateTimeFormat().resolvedOptions().timeZone);

const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('console-session') : null;

/** Nothing of whoever was signed in before is left: other tabs load anew, too. */
tabs?.addEventListener('message', ({ data }: MessageEvent<string>) => {
  if (data !== (person.value?.id ?? '')) location.reload();
});

export function signedIn(me: Me): void {
  const { id, companies } = me;
  const chosen = kept('company', id);
  batch(() => {
    language.value = languageOf(me.locale) ?? languageOf(navigator.language) ?? 'en';
    timeZone.value = me.timezone ?? timeZone.value;
    company.value = companies.some((one) => one.id === chosen) ? chosen : null;
    person.value = me;
  });
}

export async function signIn(credentials: Parameters<typeof openSession>[0], load: () => Promise<Me>): Promise<void> {
  await openSession(credentials);
  const me = await load();
  signedIn(me);
  tabs?.postMessage(me.id);
}

/** Also when the service does not answer: memory and storage are emptied first. */
export async function signOut(): Promise<void> {
  forgetAll();
  tabs?.postMessage('');
  try {
    await closeSession();
  } finally {
    // Loads anew, so that nothing the pages held is left in memory.
    location.assign('/console/');
  }
}

/** The service refused to go on. What was typed stays on the screen of nobody else: the page goes to the sign-in. */
export function sessionEnded(): void {
  forgetToken();
  if (person.value !== null) person.value = null;
}

export function chooseCompany(id: string | null): void {
  company.value = id;
  keep('company', person.value?.id ?? null, id);
}

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
}

/** Whether the role has the right. */
export function may(right: Right): boolean {
  return person.value ? hasRight(person.value.role, right) : false;
}

/** Whether the person may write, here and now: the past is read only. */
export function mayWrite(right: Right): boolean {
  return asOf.value === null && may(right);
}

/** Whether what is shown may be of several companies, so that a row names its own and a write has to choose one. */
export const showsCompanies = computed(() => company.value === null && (person.value?.companies.length ?? 0) > 1);

/** The name of a company of the tenant; its id where it is none. */
export function nameOfCompany(id: string): string {
  return person.value?.companies.find((one) => one.id === id)?.name ?? id;
}
