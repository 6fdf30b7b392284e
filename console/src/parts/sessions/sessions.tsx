import { useState } from 'preact/hooks';
import type { UserSession } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { collect } from '../../api/collect.ts';
import { useLoad } from '../../api/use-load.ts';
import { asOf } from '../../frame/as-of-moment.ts';
import { Button } from '../button.tsx';
import { Confirm } from '../dialog.tsx';
import { Empty } from '../empty.tsx';
import { Loaded } from '../loaded.tsx';
import { toast, toastFailure } from '../toast.tsx';
import { clientOf, SessionTable } from './session-table.tsx';
import { sessionWords } from './words.ts';

type Props = {
  /** Null: one's own. */
  readonly userId: string | null;
  /** Another one loads them anew. */
  readonly age?: number;
  /** Names of the users by id, where they are of several. */
  readonly people?: ReadonlyMap<string, string>;
};
type Asked = { readonly ends: readonly UserSession[]; readonly isAll: boolean } | null;

/** The open sessions of a person, or of everybody, each of which can be ended; one's own others all at once. */
export function Sessions({ userId, age = 0, people }: Props) {
  const w = sessionWords();
  const load = useLoad(
    `sessions/${userId}`,
    (signal) => collect(api().each.listSessions({ limit: 200, ...(userId === null ? {} : { userId }) }, { signal })),
    age,
  );
  const [asked, setAsked] = useState<Asked>(null);
  const mayChange = asOf.value === null;
  const end = async ({ ends, isAll }: NonNullable<Asked>): Promise<void> => {
    setAsked(null);
    try {
      for (const { id } of ends) await api().endSession(id);
      toast(isAll ? w.othersEnded : w.ended);
    } catch (error) {
      toastFailure(isAll ? w.othersFailed : w.endFailed, error);
    }
    load.reload();
  };
  return (
    <Loaded of={load} what={w.loadFailed}>
      {(sessions) => {
        const others = sessions.filter(({ current }) => !current);
        return (
          <div class="stack">
            {sessions.length === 0 ? (
              <Empty>{w.none}</Empty>
            ) : (
              <SessionTable
                sessions={sessions}
                {...(people && { people })}
                onEnd={mayChange ? (session) => setAsked({ ends: [session], isAll: false }) : null}
              />
            )}
            {userId === null && mayChange && others.length > 1 && (
              <div class="row">
                <Button onClick={() => setAsked({ ends: others, isAll: true })}>{w.endOthers}</Button>
              </div>
            )}
            {asked && (
              <Confirm
                title={asked.isAll ? w.endOthersTitle : w.endTitle}
                action={asked.isAll ? w.endOthers : w.end}
                danger
                onConfirm={() => void end(asked)}
                onClose={() => setAsked(null)}
              >
                <p>
                  {asked.isAll ? w.endOthersText(others.length) : asked.ends.map((one) => w.endText(clientOf(one)))}
                </p>
              </Confirm>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
