import { formatDay } from '../../format/dates.ts';
import { language } from '../../words/language.ts';
import type { DayMark } from './day-states.ts';
import { connectionWords } from './words.ts';

type Props = {
  readonly label: string;
  readonly marks: readonly DayMark[];
  /** `weeks`: a calendar, a row for each day of the week. */
  readonly as?: 'strip' | 'weeks';
};

const SIGNS = { complete: '', gap: '!', unknown: '?', none: '' } as const;

/** A day each: complete, with a gap, unknown. Each has a sign besides its colour, and says itself on hover. */
export function DayStrip({ label, marks, as = 'strip' }: Props) {
  const w = connectionWords();
  const first = marks[0];
  const offset = as === 'weeks' && first !== undefined ? (new Date(`${first.day}T00:00:00Z`).getUTCDay() + 6) % 7 : 0;
  return (
    <ul class={`days ${as}`} aria-label={label}>
      {marks.map(({ day, state }, index) => {
        const said = w.day(formatDay(language.value, day), w.days[state]);
        return (
          <li
            key={day}
            class={state}
            title={said}
            style={index === 0 && offset > 0 ? { gridRowStart: String(offset + 1) } : {}}
          >
            <span class="hidden">{said}</span>
            <span aria-hidden="true">{SIGNS[state]}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** What the colours and signs of the days mean. */
export function DayLegend() {
  const w = connectionWords().days;
  return (
    <p class="row small muted day-legend" aria-hidden="true">
      {(['complete', 'gap', 'unknown', 'none'] as const).map((state) => (
        <span key={state} class="row">
          <span class={`days key`}>
            <span class={state}>{SIGNS[state]}</span>
          </span>
          {w[state]}
        </span>
      ))}
    </p>
  );
}
