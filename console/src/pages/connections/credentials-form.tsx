import { useState } from 'preact/hooks';
import { type BankConnection, type CredentialsSchema, ValidationError } from '../../../../sdk/src/index.ts';
import { apiOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import { credentialWords } from '../../parts/bank-words.tsx';
import { Button } from '../../parts/button.tsx';
import { FailureText } from '../../parts/failure.tsx';
import { SchemaForm } from '../../parts/schema-form.tsx';
import { toast } from '../../parts/toast.tsx';
import { connectionWords } from './words.ts';

type Props = {
  readonly connection: BankConnection;
  /** What the bank asks for in the environment of the connection. */
  readonly schema: CredentialsSchema;
  readonly onSaved: () => void;
};

/** A form made of the catalogue's JSON Schema. What was stored is never shown. */
export function CredentialsForm({ connection, schema, onSaved }: Props) {
  const w = connectionWords();
  const said = credentialWords(connection.bankCode);
  const [value, setValue] = useState<Record<string, unknown>>({});
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const save = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    setFaults({});
    try {
      await apiOf(connection.companies).putCredentials(connection.id, value);
      setValue({});
      toast(w.credentialsSaved);
      onSaved();
    } catch (error) {
      setFailure(failureOf(error));
      if (error instanceof ValidationError) {
        setFaults(Object.fromEntries(error.issues.map(({ path, message }) => [path, said.faults[path] ?? message])));
      }
    } finally {
      setBusy(false);
    }
  };
  const stored = connection.credentials;
  return (
    <form
      class="stack readable"
      aria-label={w.credentials}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <p class="small muted">
        {w.credentialsHint} {stored && w.credentialsStored(stored.fingerprint)}
      </p>
      <SchemaForm
        schema={schema}
        value={value}
        onChange={setValue}
        faults={faults}
        labels={said.labels}
        hints={said.hints}
      />
      {failure && (
        <div role="alert">
          <p class="bad">{w.credentialsFailed}</p>
          <FailureText failure={failure} />
        </div>
      )}
      <div class="row">
        <Button kind={stored === undefined ? 'primary' : 'plain'} type="submit" busy={isBusy}>
          {w.credentialsSave}
        </Button>
      </div>
    </form>
  );
}
