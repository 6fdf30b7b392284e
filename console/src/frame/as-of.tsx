import { useState } from 'preact/hooks';
import { formatMoment } from '../format/dates.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Popover } from '../parts/popover.tsx';
import { timeZone } from '../session/session.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';
import { asOf, lookAt } from './as-of-moment.ts';
import { BackToNow } from './back-to-now.tsx';
import { localInput, momentOfInput } from './local-input.ts';

/** The time machine: every list and figure as it was known at a moment. */
export function AsOfButton() {
  const w = common().frame;
  const zone = timeZone.value;
  const at = asOf.value === null ? w.now : formatMoment(language.value, zone, asOf.value);
  return (
    <Popover
      class="as-of"
      label={<span class={asOf.value === null ? 'clip words-if-wide' : 'clip'}>{`${w.asOf} ${at}`}</span>}
      icon="clock"
      kind="quiet"
      align="end"
    >
      {(close) => <AsOfForm onDone={close} />}
    </Popover>
  );
}

function AsOfForm({ onDone }: { readonly onDone: () => void }) {
  const w = common().frame;
  const zone = timeZone.value;
  const [text, setText] = useState(localInput(asOf.value ?? new Date().toISOString(), zone));
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const moment = momentOfInput(text, zone);
        if (moment === null || Date.parse(moment) >= Date.now()) lookAt(null);
        else lookAt(moment);
        onDone();
      }}
    >
      <TextField
        label={w.asOfTitle}
        hint={`${zone}. ${w.asOfHint}`}
        type="datetime-local"
        value={text}
        onInput={setText}
      />
      <div class="row">
        <Button kind="primary" type="submit">
          {w.asOfShow}
        </Button>
        {asOf.value !== null && (
          <Button
            onClick={() => {
              lookAt(null);
              onDone();
            }}
          >
            {w.backToNow}
          </Button>
        )}
      </div>
    </form>
  );
}

/** Under the head bar while the past is shown. */
export function AsOfBand() {
  const w = common().frame;
  if (asOf.value === null) return null;
  return (
    <div class="band" role="status">
      <span>{w.lookingAt(formatMoment(language.value, timeZone.value, asOf.value))}</span>
      <BackToNow />
    </div>
  );
}
