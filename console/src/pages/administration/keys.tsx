import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { collect } from '../../api/collect.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Check } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { type Once, ShownOnce } from '../../parts/shown-once.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { mayWrite } from '../../session/session.ts';
import { KeyTable } from './key-table.tsx';
import { NewKey } from './new-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import { administrationWords } from './words.ts';

type Open = { readonly as: 'rotate' | 'revoke'; readonly apiKey: ApiKey } | { readonly as: 'new' } | null;

/** What programs sign in with. A secret is shown once, when it is made. */
export function Keys() {
  const w = administrationWords();
  const load = useLoad('keys', (signal) => collect(api().each.listApiKeys({ limit: 200 }, { signal })));
  const [open, setOpen] = useState<Open>(null);
  const [once, setOnce] = useState<Once | null>(null);
  const [isAll, setAll] = useState(false);
  const close = (): void => setOpen(null);
  const mayChange = mayWrite('administration');
  const add = mayChange && (
    <Button kind="primary" icon="add" onClick={() => setOpen({ as: 'new' })}>
      {w.newKey}
    </Button>
  );
  const made = (secret: Once): void => {
    close();
    setOnce(secret);
    load.reload();
  };
  const revoke = ({ id, name }: ApiKey): void => {
    close();
    api()
      .revokeApiKey(id)
      .then(
        () => {
          toast(w.keyRevoked(name));
          load.reload();
        },
        (error: unknown) => toastFailure(w.changeFailed, error),
      );
  };
  return (
    <Loaded of={load} what={w.keysFailed}>
      {(keys) => {
        const shown = keys.filter((key) => isAll || !hasEnded(key));
        return (
          <div class="stack wide">
            <div class="tools">
              {keys.some(hasEnded) && <Check label={w.showEnded} checked={isAll} onChange={setAll} />}
              <div class="right">{shown.length > 0 && add}</div>
            </div>
            {shown.length === 0 ? (
              <Empty action={add}>{w.noKeys}</Empty>
            ) : (
              <KeyTable
                keys={shown}
                hasEnded={hasEnded}
                onRotate={mayChange ? (apiKey) => setOpen({ as: 'rotate', apiKey }) : null}
                onRevoke={mayChange ? (apiKey) => setOpen({ as: 'revoke', apiKey }) : null}
              />
            )}
            {open?.as === 'new' && <NewKey onClose={close} onMade={made} />}
            {open?.as === 'rotate' && <RotateKey apiKey={open.apiKey} onClose={close} onMade={made} />}
            {open?.as === 'revoke' && (
              <Confirm
                title={w.revokeTitle}
                action={w.revoke}
                danger
                onConfirm={() => revoke(open.apiKey)}
                onClose={close}
              >
                <p>{w.revokeText(open.apiKey.name)}</p>
              </Confirm>
            )}
            {once && <ShownOnce {...once} onClose={() => setOnce(null)} />}
          </div>
        );
      }}
    </Loaded>
  );
}

function hasEnded({ revokedAt, expiresAt }: ApiKey): boolean {
  return revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now());
}
