import type { Webhook } from '../../../../sdk/src/index.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { webhookWords } from './words.ts';

const TONES = { active: 'good', paused: 'none', disabled: 'bad', archived: 'none' } as const;

/** With the reason where the service has disabled it. */
export function WebhookState({ webhook: { status, disabledReason } }: { readonly webhook: Webhook }) {
  const w = webhookWords();
  return (
    <>
      <StateWord tone={TONES[status]}>{w.states[status]}</StateWord>
      {disabledReason !== null && <span class="small muted"> {w.reasons[disabledReason]}</span>}
    </>
  );
}
