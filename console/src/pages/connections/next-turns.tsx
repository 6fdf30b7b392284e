import { api } from '../../api/client.ts';
import { useDebounced } from '../../api/use-debounced.ts';
import { useLoad } from '../../api/use-load.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { language } from '../../words/language.ts';
import { connectionWords } from './words.ts';

const COUNT = 10;

type Props = {
  readonly timing: { readonly cron: string } | { readonly everyMinutes: number };
  readonly timezone: string;
  /** The moment that an interval counts from. */
  readonly from?: string;
};

/** The next ten turns, in the zone of the schedule, so that a cron line can be read. */
export function NextTurns({ timing, timezone, from }: Props) {
  const w = connectionWords();
  const key = useDebounced(
    JSON.stringify({ ...timing, timezone, ...(from === undefined ? {} : { from }), count: COUNT }),
  );
  const load = useLoad(key, (signal) => api().listScheduleTurns(JSON.parse(key), { signal }));
  return (
    <Loaded of={load} what={w.turnsFailed}>
      {({ turns }) => (
        <details class="fold" open>
          <summary>{w.nextTurns}</summary>
          <ol class="turns">
            {turns.map((turn) => (
              <li key={turn}>
                <time dateTime={turn} title={turn}>
                  {written(turn, timezone)}
                </time>
              </li>
            ))}
          </ol>
        </details>
      )}
    </Loaded>
  );
}

function written(turn: string, timeZone: string): string {
  const options: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  };
  return new Intl.DateTimeFormat(language.value, options).format(new Date(turn));
}
