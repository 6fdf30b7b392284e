import { oneOf, text } from '../../address.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { useAddress } from '../../use-address.ts';
import { AllSessions } from './all-sessions.tsx';
import { Companies } from './companies.tsx';
import { Keys } from './keys.tsx';
import { People } from './people.tsx';
import { administrationWords } from './words.ts';

import './page.css';

const TABS = ['people', 'keys', 'companies', 'sessions'] as const;
const SCHEMA = { tab: oneOf(TABS), person: text };

/** Who may use the service, people and programs, and for which companies. */
export function Page() {
  const w = administrationWords();
  const address = useAddress(SCHEMA);
  const tab = address.values.tab ?? 'people';
  return (
    <Tabs
      label={w.views}
      tabs={TABS.map((value) => ({ value, label: w.tabs[value] }))}
      value={tab}
      onChange={(chosen) =>
        address.set({ tab: TABS.find((one) => one === chosen && one !== 'people'), person: undefined })
      }
    >
      {tab === 'people' && <People />}
      {tab === 'keys' && <Keys />}
      {tab === 'companies' && <Companies />}
      {tab === 'sessions' && (
        <AllSessions userId={address.values.person} onChoose={(person) => address.set({ person })} />
      )}
    </Tabs>
  );
}
