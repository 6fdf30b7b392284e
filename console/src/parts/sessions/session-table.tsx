import type { UserSession } from '../../../../sdk/src/index.ts';
import { Button } from '../button.tsx';
import { Moment } from '../moment.tsx';
import { SimpleTable } from '../simple-table.tsx';
import { StateWord } from '../state-word.tsx';
import { clientName } from './client-name.ts';
import { sessionWords } from './words.ts';

type Props = {
  readonly sessions: readonly UserSession[];
  /** Names of their users by id, where they are of several. */
  readonly people?: ReadonlyMap<string, string>;
  /** Null: nothing may be changed now. */
  readonly onEnd: ((session: UserSession) => void) | null;
};

const SHORT = 40;

/** Where somebody is signed in. The present session is marked; it is ended by signing out. */
export function SessionTable({ sessions, people, onEnd }: Props) {
  const w = sessionWords();
  const nameOf = ({ userId }: UserSession): string => people?.get(userId) ?? userId;
  return (
    <SimpleTable
      caption={w.sessions}
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        ...(people ? [{ key: 'person', title: w.person, cell: nameOf }] : []),
        { key: 'client', title: w.signedInWith, cell: (session: UserSession) => <Client session={session} /> },
        { key: 'since', title: w.since, cell: ({ beganAt }: UserSession) => <Moment at={beganAt} /> },
        { key: 'used', title: w.lastUsed, cell: ({ refreshedAt }: UserSession) => <Moment at={refreshedAt} fresh /> },
        {
          key: 'actions',
          title: w.actions,
          cell: (session: UserSession) =>
            session.current ? (
              <StateWord tone="good">{w.thisOne}</StateWord>
            ) : (
              onEnd && (
                <Button
                  label={w.endOf([...(people ? [nameOf(session)] : []), clientOf(session)].join(', '))}
                  onClick={() => onEnd(session)}
                >
                  {w.end}
                </Button>
              )
            ),
        },
      ]}
    />
  );
}

/** In words: «Firefox 140 on Linux»; what it called itself, where that is short and says nothing known. */
export function clientOf({ userAgent }: UserSession): string {
  const w = sessionWords();
  if (userAgent === null) return w.unknownClient;
  const [browser, system] = clientName(userAgent);
  if (browser !== null && system !== null) return w.on(browser, system);
  return browser ?? system ?? (userAgent.length <= SHORT ? userAgent : w.unknownClient);
}

function Client({ session }: { readonly session: UserSession }) {
  return <span title={session.userAgent ?? ''}>{clientOf(session)}</span>;
}
