import { useState } from 'preact/hooks';
import type { AnalyticsQuery, GetAnalyticsResultsQuery } from '../../../../sdk/src/index.ts';
import { flag, text } from '../../address.ts';
import { api } from '../../api/client.ts';
import { saveFile } from '../../api/save-file.ts';
import { useLoad } from '../../api/use-load.ts';
import { asOf, atMoment } from '../../frame/as-of-moment.ts';
import { Button } from '../../parts/button.tsx';
import { Check } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { toastFailure } from '../../parts/toast.tsx';
import { company, timeZone } from '../../session/session.ts';
import { useAddress } from '../../use-address.ts';
import { Answer } from './answer.tsx';
import { periodBefore } from './period-before.ts';
import { analyticsWords } from './words.ts';

/** `p`: the parameters as JSON; `compare`: also the period before. */
const SCHEMA = { p: text, compare: flag };
/** The head bar chooses the moment, a button the file, and an answer is not walked through in pages. */
const ELSEWHERE = ['asOf', 'format', 'expand', 'limit'];

type Parameters = Record<string, unknown>;

/** The parameters of one question as a form made of its schema, and the answer. */
export function Question({ query }: { readonly query: AnalyticsQuery }) {
  const w = analyticsWords();
  const address = useAddress(SCHEMA);
  const given = parametersOf(address.values.p, query);
  const [draft, setDraft] = useState<Parameters>(given);
  const asked = { ...given, ...atMoment() } as GetAnalyticsResultsQuery;
  const key = JSON.stringify([query.id, asked, company.value]);
  const load = useLoad(key, (signal) => api().getAnalyticsResults(query.id, asked, { signal }));
  const before = address.values.compare === true ? periodBefore(given) : null;
  const earlier = useLoad(before === null ? '' : JSON.stringify([key, before]), (signal) =>
    api().getAnalyticsResults(query.id, { ...asked, ...before }, { signal }),
  );
  const takesPeriod = 'from' in ((query.parameters.properties ?? {}) as object);
  return (
    <div class="stack wide answer">
      <h2>{w.titles[query.id] ?? query.title}</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          address.set({ p: JSON.stringify(draft) });
        }}
      >
        <div class="fields">
          <SchemaForm
            schema={{ ...query.parameters, properties: withoutHints(query), required: [] }}
            value={draft}
            onChange={setDraft}
            without={ELSEWHERE}
            labels={w.parameters}
          />
        </div>
        <div class="row">
          <Button kind="primary" type="submit">
            {w.ask}
          </Button>
          <Button icon="download" onClick={() => download(query.id, asked)}>
            {w.csv}
          </Button>
          {takesPeriod && (
            <Check
              label={w.compare}
              checked={address.values.compare === true}
              onChange={(compare) => address.set({ compare: compare || undefined })}
            />
          )}
        </div>
      </form>
      {address.values.compare === true && before === null && <p class="note">{w.needsPeriod}</p>}
      <Loaded of={load} what={w.resultFailed}>
        {(result) => <Answer key={asOf.value ?? ''} title={w.table} result={result} withChart />}
      </Loaded>
      {before !== null && (
        <section class="stack">
          <h3>{w.before}</h3>
          <Loaded of={earlier} what={w.resultFailed}>
            {(result) => <Answer title={w.before} result={result} withChart={false} />}
          </Loaded>
        </section>
      )}
    </div>
  );
}

/** The service describes parameters in English for developers; here their labels say enough. */
function withoutHints({ parameters }: AnalyticsQuery): Parameters {
  const properties = Object.entries((parameters.properties ?? {}) as Record<string, Parameters>);
  return Object.fromEntries(properties.map(([name, { description: _, ...schema }]) => [name, schema]));
}

/**
 * What the address holds was written by anybody; by default the person's own time zone, where the question takes one.
 */
function parametersOf(json: string | undefined, query: AnalyticsQuery): Parameters {
  const known = (query.parameters.properties ?? {}) as object;
  const zone = 'timezone' in known ? { timezone: timeZone.value } : {};
  try {
    const given = json === undefined ? {} : (JSON.parse(json) as Parameters);
    return { ...zone, ...Object.fromEntries(Object.entries(given).filter(([name]) => name in known)) };
  } catch {
    return zone;
  }
}

async function download(id: string, asked: GetAnalyticsResultsQuery): Promise<void> {
  try {
    await saveFile(await api().getAnalyticsResults(id, { ...asked, format: 'csv' }), `${id}.csv`);
  } catch (error) {
    toastFailure(analyticsWords().csvFailed, error);
  }
}
