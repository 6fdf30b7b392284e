import { useState } from 'preact/hooks';
import { type Tab, Tabs } from '../../parts/tabs.tsx';
import { Controls } from './controls.tsx';
import { Figures } from './figures.tsx';
import { Lists } from './lists.tsx';
import { States } from './states.tsx';
import './page.css';

const TABS: readonly Tab[] = [
  { value: 'controls', label: 'Controls' },
  { value: 'figures', label: 'Figures and moments' },
  { value: 'lists', label: 'Lists' },
  { value: 'states', label: 'States' },
];
const SHOWN: Readonly<Record<string, () => preact.JSX.Element>> = {
  controls: Controls,
  figures: Figures,
  lists: Lists,
  states: States,
};

/** Each shared part in each of its states; in development only, and in English only. */
export function Page() {
  const [tab, setTab] = useState('controls');
  const Shown = SHOWN[tab] ?? Controls;
  return (
    <Tabs label="Parts" tabs={TABS} value={tab} onChange={setTab}>
      <Shown />
    </Tabs>
  );
}
