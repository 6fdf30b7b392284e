import { oneOf } from '../../address.ts';
import type { PageProps } from '../../page-props.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { useAddress } from '../../use-address.ts';
import { Compare } from './compare.tsx';
import { EntityPage } from './entity-page.tsx';
import { Events } from './events.tsx';
import { IntegrityView } from './integrity.tsx';
import { Proof } from './proof.tsx';
import { Replays } from './replays.tsx';
import { RequestTree } from './request-tree.tsx';
import { auditWords } from './words.ts';

import './page.css';

const TABS = ['events', 'compare', 'integrity', 'proof', 'replays'] as const;
const SCHEMA = { tab: oneOf(TABS) };

export function Page({ rest: [view, first, second] }: PageProps) {
  if (view === 'entity' && first !== undefined && second !== undefined) {
    return <EntityPage key={`${first} ${second}`} type={first} id={second} />;
  }
  if (view === 'request' && first !== undefined) return <RequestTree key={first} id={first} />;
  return <Views />;
}

function Views() {
  const w = auditWords();
  const address = useAddress(SCHEMA);
  const tab = address.values.tab ?? 'events';
  return (
    <Tabs
      label={w.views}
      tabs={TABS.map((value) => ({ value, label: w.tabs[value] }))}
      value={tab}
      onChange={(chosen) => address.set({ tab: chosen === 'events' ? undefined : (chosen as (typeof TABS)[number]) })}
    >
      {tab === 'events' && (
        <div class="events-view">
          <Events />
        </div>
      )}
      {tab === 'compare' && <Compare />}
      {tab === 'integrity' && <IntegrityView />}
      {tab === 'proof' && <Proof />}
      {tab === 'replays' && <Replays />}
    </Tabs>
  );
}
