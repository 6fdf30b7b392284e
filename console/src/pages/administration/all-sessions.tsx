import { api } from '../../api/client.ts';
import { collect } from '../../api/collect.ts';
import { useLoad } from '../../api/use-load.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Select } from '../../parts/select.tsx';
import { Sessions } from '../../parts/sessions/sessions.tsx';
import { administrationWords } from './words.ts';

const EVERYBODY = '*';

type Props = { readonly userId: string | undefined; readonly onChoose: (userId: string | undefined) => void };

/** Where people are signed in: everybody, or one of them. */
export function AllSessions({ userId = EVERYBODY, onChoose }: Props) {
  const w = administrationWords();
  const load = useLoad('people', (signal) => collect(api().each.listUsers({ limit: 200 }, { signal })));
  return (
    <Loaded of={load} what={w.peopleFailed}>
      {(users) => {
        const names = new Map(users.map(({ id, displayName, email }) => [id, displayName ?? email]));
        return (
          <div class="stack wide">
            <div class="tools">
              <Select
                label={w.person}
                value={userId}
                choices={[
                  { value: EVERYBODY, label: w.everybody },
                  ...Array.from(names, ([value, label]) => ({ value, label })),
                ]}
                onChange={(chosen) => onChoose(chosen === EVERYBODY ? undefined : chosen)}
              />
            </div>
            <Sessions key={userId} userId={userId} people={names} />
          </div>
        );
      }}
    </Loaded>
  );
}
