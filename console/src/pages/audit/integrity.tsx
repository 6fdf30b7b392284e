import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { saveStream } from '../../api/save-file.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { language } from '../../words/language.ts';
import { auditWords } from './words.ts';

/** Whether the log is as it was sealed, in one sentence, with the last seal and the key to keep. */
export function IntegrityView() {
  const w = auditWords();
  const [fromSeal, setFromSeal] = useState<number | null>(null);
  const load = useLoad(`integrity ${fromSeal}`, (signal) =>
    api().getIntegrity(fromSeal === null ? {} : { fromSeal }, { signal }),
  );
  const count = (value: number): string => new Intl.NumberFormat(language.value).format(value);
  return (
    <div class="stack wide">
      <Loaded of={load} what={w.integrityFailed}>
        {({ intact, lastSeal, checked, nextSeal, fault, publicKey }) => (
          <div class="stack">
            {lastSeal === null ? (
              <p>{w.noSeal}</p>
            ) : (
              <p class="verdict">
                <StateWord tone={intact ? 'good' : 'bad'}>
                  {intact ? w.intact(count(checked.events)) : w.broken(fault?.message ?? '')}
                </StateWord>
              </p>
            )}
            {lastSeal !== null && (
              <Facts
                rows={[
                  [w.lastSeal, w.seal(lastSeal.ordinal)],
                  [w.sealed, <Moment key="at" at={lastSeal.sealedAt} exact />],
                  [w.checked(checked.fromSeal, checked.toSeal), count(checked.events)],
                ]}
              />
            )}
            {nextSeal !== null && (
              <div class="row">
                <Button onClick={() => setFromSeal(nextSeal)}>{w.checkOn}</Button>
              </div>
            )}
            <section class="stack">
              <h2>{w.publicKey}</h2>
              <p class="muted">{w.publicKeyHint}</p>
              <p>
                <Copy text={publicKey} />
              </p>
            </section>
          </div>
        )}
      </Loaded>
      <Export />
    </div>
  );
}

function Export() {
  const w = auditWords();
  /** Null: none is under way. */
  const [bytes, setBytes] = useState<number | null>(null);
  const download = async (): Promise<void> => {
    setBytes(0);
    try {
      const load = async () => (await api().exportHistory()) as unknown as Response;
      if (await saveStream('history.ndjson', load, setBytes)) toast(w.exported);
    } catch (error) {
      toastFailure(w.exportFailed, error);
    } finally {
      setBytes(null);
    }
  };
  return (
    <section class="stack">
      <h2>{w.exportHistory}</h2>
      <p class="muted">{w.exportHint}</p>
      <div class="row">
        <Button icon="download" busy={bytes !== null} onClick={download}>
          {w.exportHistory}
        </Button>
        {bytes !== null && bytes > 0 && <span class="small muted digits">{w.exportedSoFar(bytes)}</span>}
      </div>
    </section>
  );
}
