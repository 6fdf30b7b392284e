import { useState } from 'preact/hooks';
import type { EventProof } from '../../../../sdk/src/index.ts';
import { text } from '../../address.ts';
import { api } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { FailurePanel } from '../../parts/failure.tsx';
import { TextField } from '../../parts/field.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { useAddress } from '../../use-address.ts';
import { checkProof, type ProofSteps } from './check-proof.ts';
import { auditWords } from './words.ts';

const SCHEMA = { event: text };

type Checked = { readonly proof: EventProof; readonly steps: ProofSteps };

/** Checks in the browser that an event is in the sealed history, against a key that the auditor has kept. */
export function Proof() {
  const w = auditWords();
  const address = useAddress(SCHEMA);
  const [eventId, setEventId] = useState(address.values.event ?? '');
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [checked, setChecked] = useState<Checked | null>(null);
  const check = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    setChecked(null);
    address.set({ event: eventId.trim() }, { replace: true });
    try {
      const proof = await api().getProof({ eventId: eventId.trim() });
      setChecked({ proof, steps: await checkProof(proof, key) });
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="stack wide">
      <form
        class="stack readable-form"
        onSubmit={(event) => {
          event.preventDefault();
          check();
        }}
      >
        <p class="muted">{w.proofIntro}</p>
        <TextField label={w.proofEvent} value={eventId} onInput={setEventId} />
        <TextField label={w.proofKey} hint={w.proofKeyHint} value={key} onInput={setKey} autoComplete="off" />
        <div class="row">
          <Button kind="primary" type="submit" busy={isBusy} disabled={eventId.trim() === ''}>
            {w.check}
          </Button>
        </div>
      </form>
      {failure && (
        <FailurePanel failure={failure} what={failure.code === 'UNEXPECTED' ? w.unsupported : w.proofFailed} />
      )}
      {checked && <Verdict {...checked} />}
    </div>
  );
}

function Verdict({ proof, steps }: Checked) {
  const w = auditWords();
  const order = ['event', 'path', 'signature', 'key'] as const;
  const failed = order.findIndex((step) => steps[step] === false);
  const verdict = failed >= 0 ? w.disproved : steps.key === null ? w.provedWithoutKey : w.proved;
  return (
    <section class="stack" aria-live="polite">
      <p>
        <strong class={failed >= 0 ? 'bad' : 'good'}>{verdict}</strong>
      </p>
      <ol class="proof-steps">
        {order.map((step, index) => {
          const isReached = failed < 0 || index <= failed;
          const outcome = isReached ? steps[step] : null;
          const tone = outcome === null ? 'none' : outcome ? 'good' : 'bad';
          return (
            <li key={step}>
              <StateWord tone={tone}>{w.steps[step]}</StateWord>
            </li>
          );
        })}
      </ol>
      <Code title={w.raw} value={proof} />
    </section>
  );
}
