import type { TransactionExplanation } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { may } from '../../session/session.ts';
import { Code } from '../code.tsx';
import { Copy } from '../copy.tsx';
import { Facts } from '../facts.tsx';
import { Loaded } from '../loaded.tsx';
import { Moment } from '../moment.tsx';
import { transactionWords } from './words.ts';

type Props = { readonly explanation: TransactionExplanation; readonly stamp: string };

/** Which sync brought it, and the bank's own answer as it is kept: masked, for 90 days. */
export function BankRecord({ explanation: { recorded, references }, stamp }: Props) {
  const w = transactionWords();
  const id = may('audit:read') ? recorded.connectorLogId : null;
  const log = useLoad(id ?? '', (signal) => api().getConnectorLog(id ?? '', { signal }));
  return (
    <section class="stack">
      <h3>{w.record}</h3>
      <Facts
        rows={[
          [w.fetched, <Moment key="at" at={recorded.at} exact />],
          [w.sync, <Copy key="sync" text={recorded.sync.id} />],
          ['providerStamp', <Copy key="stamp" text={stamp} />],
          ...Object.entries(references).map(([name, value]) => [name, <Copy key={name} text={value} />] as const),
        ]}
      />
      {id === null ? (
        may('audit:read') && <p class="small muted">{w.recordGone}</p>
      ) : (
        <Loaded of={log} what={w.openFailed}>
          {(found) => <Code title={w.recordLink} value={readable(found.response?.body?.text) ?? found} />}
        </Loaded>
      )}
    </section>
  );
}

/** JSON in lines; any other text as it is. */
function readable(text: string | null | undefined): unknown {
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
