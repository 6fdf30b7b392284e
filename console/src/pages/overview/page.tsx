import { useEffect, useRef, useState } from 'preact/hooks';
import { useChanges } from '../../api/use-changes.ts';
import { Skeleton } from '../../parts/skeleton.tsx';
import { may } from '../../session/session.ts';
import { Balances } from './balances.tsx';
import { CashFlow } from './cash-flow.tsx';
import { Needs } from './needs.tsx';
import { Recent } from './recent.tsx';
import './page.css';

const SETTLES_MS = 1_000;
const SECTIONS = 4;
/** A section that takes longer does not hold back the others. */
const WAITS_MS = 1_000;

/** How the company stands: balances, cash flow, what waits, what came in. Each figure leads to the rows behind it. */
export function Page() {
  const [turn, setTurn] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useChanges(may('connections:read') ? ['transaction', 'connection'] : ['transaction'], () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setTurn((before) => before + 1), SETTLES_MS);
  });
  // The sections appear together, at the height that each has, so that none pushes another down.
  const [settled, setSettled] = useState(0);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const late = setTimeout(() => setLate(true), WAITS_MS);
    return () => clearTimeout(late);
  }, []);
  const isShown = settled >= SECTIONS || isLate;
  const section = { turn, onSettled: () => setSettled((before) => before + 1) };
  return (
    <>
      {!isShown && <Skeleton as="block" lines={6} />}
      <div class="stack wide" hidden={!isShown}>
        <Balances {...section} />
        <div class="overview">
          <CashFlow {...section} />
          <Needs {...section} />
        </div>
        <Recent {...section} />
      </div>
    </>
  );
}
