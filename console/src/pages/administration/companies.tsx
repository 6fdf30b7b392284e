import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { collect } from '../../api/collect.ts';
import { useAction } from '../../api/use-action.ts';
import { useLoad } from '../../api/use-load.ts';
import { ActionForm } from '../../parts/action-form.tsx';
import { Button } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Check, TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { toast } from '../../parts/toast.tsx';
import { mayWrite, person } from '../../session/session.ts';
import { administrationWords } from './words.ts';

export function Companies() {
  const w = administrationWords();
  const load = useLoad('companies', (signal) => collect(api().each.listCompanies({ limit: 200 }, { signal })));
  const [isAdding, setAdding] = useState(false);
  return (
    <Loaded of={load} what={w.companiesFailed}>
      {(companies) => (
        <div class="stack wide">
          {mayWrite('administration') && (
            <div class="tools">
              <div class="right">
                <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
                  {w.newCompany}
                </Button>
              </div>
            </div>
          )}
          <SimpleTable
            caption={w.tabs.companies}
            rows={companies}
            keyOf={({ id }) => id}
            columns={[
              { key: 'name', title: w.name, cell: ({ name }) => name },
              {
                key: 'automation',
                title: w.automation,
                cell: ({ automation }) => (
                  <StateWord tone={automation ? 'good' : 'none'}>{automation ? w.on : w.off}</StateWord>
                ),
              },
              { key: 'since', title: w.since, cell: ({ createdAt }) => <Moment at={createdAt} /> },
              { key: 'id', title: w.id, cell: ({ id }) => <Copy text={id} /> },
            ]}
          />
          {isAdding && (
            <NewCompany
              onClose={() => setAdding(false)}
              onAdded={() => {
                setAdding(false);
                load.reload();
              }}
            />
          )}
        </div>
      )}
    </Loaded>
  );
}

type Props = { readonly onClose: () => void; readonly onAdded: () => void };

function NewCompany({ onClose, onAdded }: Props) {
  const w = administrationWords();
  const action = useAction();
  const [name, setName] = useState('');
  const [automation, setAutomation] = useState(true);
  const add = async (): Promise<void> => {
    const added = await api().createCompany({ name: name.trim(), automation });
    toast(w.companyAdded(added.name));
    onAdded();
    // The side bar offers it from now on.
    person.value = await api().getMe();
  };
  return (
    <Dialog title={w.newCompany} onClose={onClose}>
      <ActionForm
        action={action}
        failed={w.companyFailed}
        submit={w.add}
        disabled={name.trim() === ''}
        onSubmit={() => action.run(add)}
        onCancel={onClose}
      >
        <TextField label={w.name} autoComplete="off" maxLength={120} value={name} onInput={setName} />
        <Check label={w.automationCheck} hint={w.automationHint} checked={automation} onChange={setAutomation} />
      </ActionForm>
    </Dialog>
  );
}
