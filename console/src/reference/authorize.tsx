import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { credentials, forget, isAuthorized } from './trying.ts';

/** Takes a key with its secret or a token, for every request that is tried. */
export function Authorize({ onClose }: { readonly onClose: () => void }) {
  const [given, setGiven] = useState(credentials.value);
  const take = (name: keyof typeof given) => (value: string) => setGiven({ ...given, [name]: value.trim() });
  const use = (event: Event): void => {
    event.preventDefault();
    credentials.value = given;
    onClose();
  };
  return (
    <Dialog title="Authorize" onClose={onClose}>
      <p>
        For the requests that you send from this page. What you enter stays in the memory of this page: it is stored
        nowhere, and is gone when you close the page or load it anew.
      </p>
      <form class="stack" onSubmit={use}>
        <TextField label="API key" value={given.key} onInput={take('key')} autoComplete="off" />
        <TextField
          label="API secret"
          type="password"
          value={given.secret}
          onInput={take('secret')}
          autoComplete="off"
        />
        <TextField
          label="Bearer token"
          type="password"
          value={given.token}
          onInput={take('token')}
          autoComplete="off"
          hint="An access token, such as logIn answers. Used where an operation takes no key, or none is given."
        />
        <div class="row">
          <Button kind="primary" type="submit">
            Use them
          </Button>
          {isAuthorized() && (
            <Button
              kind="danger"
              onClick={() => {
                forget();
                onClose();
              }}
            >
              Forget them
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
