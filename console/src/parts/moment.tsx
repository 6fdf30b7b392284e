import { signal } from '@preact/signals';
import { formatDay, formatExact, formatFresh, formatMoment } from '../format/dates.ts';
import { timeZone } from '../session/session.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';

const MINUTE_MS = 60_000;
/** Moves each minute, so that "3 min ago" stays true on a page that is left open. */
const minute = signal(Date.now());
setInterval(() => {
  minute.value = Date.now();
}, MINUTE_MS);

type Props = {
  readonly at: string | null | undefined;
  /** «3 min ago» where it is fresh. */
  readonly fresh?: boolean;
  /** With seconds. */
  readonly exact?: boolean;
};

/** A moment in the person's zone; the exact one and UTC on hover. A dash where there is none. */
export function Moment({ at, fresh = false, exact = false }: Props) {
  if (!at) return <span class="muted">{common().form.none}</span>;
  const zone = timeZone.value;
  const age = fresh ? formatFresh(language.value, at, Math.max(minute.value, Date.parse(at))) : null;
  const shown = age ?? (exact ? formatExact : formatMoment)(language.value, zone, at);
  return (
    <time class="digits" dateTime={at} title={`${formatExact(language.value, zone, at)} ${zone} · ${at}`}>
      {shown}
    </time>
  );
}

/** The day as the bank booked it; no time zone moves it. */
export function Day({ on }: { readonly on: string | null | undefined }) {
  if (!on) return <span class="muted">{common().form.none}</span>;
  return (
    <time class="digits" dateTime={on.slice(0, 10)} title={on}>
      {formatDay(language.value, on)}
    </time>
  );
}
