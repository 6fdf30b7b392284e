import { useState } from 'preact/hooks';
import { day, oneOf, text } from '../../address.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { Check, TextField } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Menu } from '../../parts/menu.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { Select } from '../../parts/select.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { useAddress } from '../../use-address.ts';
import { Specimen } from './specimen.tsx';

const CHOICES = [
  { value: 'all', label: 'All' },
  { value: 'any', label: 'Any' },
  { value: 'none', label: 'None' },
];
const SCHEMA = { q: text, from: day, kind: oneOf(['all', 'any', 'none']) };
const FORM = {
  required: ['folder'],
  properties: {
    folder: { type: 'string', description: 'Below the folder of statements.' },
    password: { type: 'string', format: 'password' },
    transactionsPerDay: { type: 'integer' },
    balances: { type: 'string', enum: ['strict', 'note'] },
    active: { type: 'boolean' },
    accounts: { type: 'array', items: { type: 'string' } },
    csv: { type: 'object', properties: { delimiter: { type: 'string' } } },
  },
};

export function Controls() {
  const [value, setValue] = useState('any');
  const [words, setWords] = useState('');
  const [isChecked, setChecked] = useState(true);
  const [over, setOver] = useState<'dialog' | 'confirm' | null>(null);
  const [form, setForm] = useState<Record<string, unknown>>({});
  const address = useAddress(SCHEMA);
  const close = (): void => setOver(null);
  return (
    <div class="specimens">
      <Specimen name="Button">
        <div class="row">
          <Button kind="primary">Primary</Button>
          <Button icon="download">Plain</Button>
          <Button kind="danger">Danger</Button>
          <Button kind="quiet">Quiet</Button>
          <Button icon="close" label="Close" />
        </div>
        <div class="row">
          <Button kind="primary" disabled>
            Disabled
          </Button>
          <Button disabled>Disabled</Button>
          <Button pressed>Pressed</Button>
          <Button busy>Busy</Button>
        </div>
      </Specimen>
      <Specimen name="Field">
        <TextField label="Name" hint="Up to 120 characters" value={words} onInput={setWords} />
        <TextField label="Reference" fault="This value is not accepted." value="x y" onInput={setWords} />
        <TextField label="Reason" lines={2} value={words} onInput={setWords} />
        <Check label="Automation" hint="assigns what rules match" checked={isChecked} onChange={setChecked} />
      </Specimen>
      <Specimen name="Select, segmented control">
        <Select label="Match" value={value} choices={CHOICES} onChange={setValue} />
        <Segmented label="Match" value={value} choices={CHOICES} onChange={setValue} />
        <Segmented label="Match, disabled" value={value} choices={CHOICES} onChange={setValue} disabled />
      </Specimen>
      <Specimen name="Menu, dialog, toast">
        <div class="row">
          <Menu
            label="Menu"
            items={[
              { label: 'First', onChoose: () => toast('First was chosen.') },
              { label: 'Ticked', checked: true, onChoose: () => undefined },
              { label: 'Delete', danger: true, onChoose: () => undefined },
              { label: 'Disabled', disabled: true, onChoose: () => undefined },
            ]}
          />
          <Button onClick={() => setOver('dialog')}>Dialog</Button>
          <Button onClick={() => setOver('confirm')}>Confirm</Button>
          <Button onClick={() => toast('Two references were attached.', () => toast('They were revoked.'))}>
            Toast
          </Button>
          <Button onClick={() => toastFailure('The reference was not attached.', new Error('no answer'))}>
            Failure
          </Button>
        </div>
        {over === 'dialog' && (
          <Dialog title="A dialog" onClose={close}>
            What it says.
          </Dialog>
        )}
        {over === 'confirm' && (
          <Confirm title="Archive “Taxes”?" action="Archive the rule" danger onConfirm={close} onClose={close}>
            It attaches nothing any more. What it attached stays.
          </Confirm>
        )}
      </Specimen>
      <Specimen name="Filters, search (in the address)">
        <SearchField
          label="Search"
          value={address.values.q ?? ''}
          onSearch={(q) => address.set({ q: q === '' ? undefined : q }, { replace: true })}
        />
        <Filters
          schema={SCHEMA}
          address={address}
          fields={[
            { key: 'q', label: 'Text', type: 'text' },
            { key: 'from', label: 'From', type: 'day' },
            { key: 'kind', label: 'Match', type: 'choice', choices: CHOICES },
          ]}
        />
      </Specimen>
      <Specimen name="Form from a JSON Schema">
        <SchemaForm
          schema={FORM}
          value={form}
          onChange={setForm}
          faults={{ transactionsPerDay: 'At least 1.' }}
          without={['hidden']}
        />
      </Specimen>
    </div>
  );
}
