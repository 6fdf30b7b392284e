import { useState } from 'preact/hooks';
import type { User } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { collect } from '../../api/collect.ts';
import { useLoad } from '../../api/use-load.ts';
import { withMoment } from '../../frame/as-of-moment.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { type Once, ShownOnce } from '../../parts/shown-once.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { to } from '../../router.ts';
import { mayWrite, person } from '../../session/session.ts';
import { common } from '../../words/index.ts';
import { AddPerson } from './add-person.tsx';
import { ChangePerson } from './change-person.tsx';
import { administrationWords } from './words.ts';

type Open = { readonly as: 'change' | 'disable'; readonly user: User } | { readonly as: 'add' } | null;

/** Who may sign in, and as what. */
export function People() {
  const w = administrationWords();
  const load = useLoad('people', (signal) => collect(api().each.listUsers({ limit: 200 }, { signal })));
  const [open, setOpen] = useState<Open>(null);
  const [once, setOnce] = useState<Once | null>(null);
  const close = (): void => setOpen(null);
  const mayChange = mayWrite('administration');
  const setStatus = (user: User, status: User['status']): void => {
    close();
    api()
      .changeUser(user.id, { status })
      .then(
        () => {
          toast((status === 'active' ? w.personEnabled : w.personDisabled)(nameOf(user)));
          load.reload();
        },
        (error: unknown) => toastFailure(w.changeFailed, error),
      );
  };
  return (
    <Loaded of={load} what={w.peopleFailed}>
      {(users) => (
        <div class="stack wide">
          {mayChange && (
            <div class="tools">
              <div class="right">
                <Button kind="primary" icon="add" onClick={() => setOpen({ as: 'add' })}>
                  {w.addPerson}
                </Button>
              </div>
            </div>
          )}
          <SimpleTable
            caption={w.tabs.people}
            rows={users}
            keyOf={({ id }) => id}
            columns={[
              { key: 'name', title: w.name, cell: (user) => <Who user={user} /> },
              { key: 'role', title: w.role, cell: ({ role }) => common().roles[role] },
              {
                key: 'state',
                title: w.state,
                cell: ({ status }) => <StateWord tone={status === 'active' ? 'good' : 'none'}>{w[status]}</StateWord>,
              },
              { key: 'outside', title: w.outside, cell: ({ outsideLogin }) => w.outsides[outsideLogin] },
              { key: 'since', title: w.since, cell: ({ createdAt }) => <Moment at={createdAt} /> },
              {
                key: 'sessions',
                title: w.tabs.sessions,
                cell: (user) => (
                  <a href={withMoment(`${to('administration')}?tab=sessions&person=${encodeURIComponent(user.id)}`)}>
                    {w.show}
                    <span class="hidden">: {nameOf(user)}</span>
                  </a>
                ),
              },
              ...(mayChange
                ? [
                    {
                      key: 'actions',
                      title: w.actions,
                      cell: (user: User) => (
                        <RowActions
                          user={user}
                          onChange={() => setOpen({ as: 'change', user })}
                          onDisable={() => setOpen({ as: 'disable', user })}
                          onEnable={() => setStatus(user, 'active')}
                        />
                      ),
                    },
                  ]
                : []),
            ]}
          />
          {open?.as === 'add' && (
            <AddPerson
              onClose={close}
              onAdded={(added) => {
                close();
                setOnce(added);
                load.reload();
              }}
            />
          )}
          {open?.as === 'change' && (
            <ChangePerson
              user={open.user}
              name={nameOf(open.user)}
              onClose={close}
              onChanged={() => {
                close();
                load.reload();
              }}
            />
          )}
          {open?.as === 'disable' && (
            <Confirm
              title={w.disableTitle}
              action={w.disable}
              danger
              onConfirm={() => setStatus(open.user, 'disabled')}
              onClose={close}
            >
              <p>{w.disableText(nameOf(open.user))}</p>
            </Confirm>
          )}
          {once && <ShownOnce {...once} onClose={() => setOnce(null)} />}
        </div>
      )}
    </Loaded>
  );
}

function nameOf({ displayName, email }: User): string {
  return displayName ?? email;
}

function Who({ user }: { readonly user: User }) {
  const w = administrationWords();
  return (
    <>
      {nameOf(user)}
      {user.id === person.value?.id && <span class="muted"> ({w.you})</span>}
      {user.displayName !== null && (
        <>
          <br />
          <span class="small muted">{user.email}</span>
        </>
      )}
    </>
  );
}

type RowProps = {
  readonly user: User;
  readonly onChange: () => void;
  readonly onDisable: () => void;
  readonly onEnable: () => void;
};

/** Nobody ends their own access by a slip. */
function RowActions({ user, onChange, onDisable, onEnable }: RowProps) {
  const w = administrationWords();
  const [name, isOwn, isActive] = [nameOf(user), user.id === person.value?.id, user.status === 'active'];
  const does = isActive ? w.disable : w.enable;
  return (
    <div class="row">
      <Button label={`${w.change}: ${name}`} onClick={onChange}>
        {w.change}
      </Button>
      <Button label={`${does}: ${name}`} disabled={isOwn} onClick={isActive ? onDisable : onEnable}>
        {does}
      </Button>
    </div>
  );
}
