import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { UnassignedGroup } from '../../../../sdk/src/index.ts';
import { oneOf, text } from '../../address.ts';
import { api } from '../../api/client.ts';
import { useChanges } from '../../api/use-changes.ts';
import { type Load, useLoad } from '../../api/use-load.ts';
import { asOf, atMoment } from '../../frame/as-of-moment.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { Select } from '../../parts/select.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { TransactionDrawer } from '../../parts/transaction/drawer.tsx';
import { useAddress } from '../../use-address.ts';
import { common } from '../../words/index.ts';
import { GroupCard } from './group-card.tsx';
import { GROUPED_BY, SORTS } from './groups.ts';
import { useSkipped } from './skipped.ts';
import { pageWords } from './words.ts';
import './page.css';

const SCHEMA = { by: oneOf(GROUPED_BY), sort: oneOf(SORTS), open: text };
const PAGE = 50;
const SETTLES_MS = 1_000;

/** What no rule matched, in groups to deal with at once; as of a moment those of then, to look at. */
export function Page() {
  return <Inbox key={asOf.value ?? 'now'} />;
}

function Inbox() {
  const w = pageWords();
  const address = useAddress(SCHEMA);
  const { by = 'counterparty', sort = '-count', open } = address.values;
  const [pagesShown, setPagesShown] = useState(1);
  const found = useLoad(`groups ${by} ${sort}`, (signal) => groupsOf({ by, sort }, pagesShown, signal), pagesShown);
  const sums = useLoad('waiting', (signal) =>
    api().getTransactionTotals({ assigned: false, ...atMoment() }, { signal }),
  );
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const reload = (): void => {
    found.reload();
    sums.reload();
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useChanges(['transaction'], () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(reload, SETTLES_MS);
  });
  const close = useCallback(() => address.set({ open: undefined }, { replace: true }), [address.set]);
  const t = common().table;
  const count = sums.data?.count;
  return (
    <>
      <div class="tools">
        <Segmented
          label={w.by}
          value={by}
          choices={GROUPED_BY.map((value) => ({ value, label: w[value] }))}
          onChange={(value) => address.set({ by: GROUPED_BY.find((one) => one === value) })}
        />
        <Select
          bare
          label={w.sort}
          value={sort}
          choices={SORTS.map((value) => ({ value, label: w.sorts[value] }))}
          onChange={(value) => address.set({ sort: SORTS.find((one) => one === value) })}
        />
        <span class="right muted digits">
          {count !== undefined && w.waiting(count.atLeast ? t.atLeast(t.rows(count.value)) : t.rows(count.value))}
        </span>
      </div>
      <Loaded of={found} what={w.failed} skeleton={<Skeleton as="rows" lines={10} />}>
        {({ groups, hasMore, isPart }) => (
          <>
            {isPart && <p class="note">{w.isPart}</p>}
            <Groups
              groups={groups}
              isLoading={found.isLoading}
              onMore={hasMore ? () => setPagesShown(pagesShown + 1) : null}
              onOpen={(id) => address.set({ open: id })}
              onChanged={reload}
            />
          </>
        )}
      </Loaded>
      {open !== undefined && <TransactionDrawer id={open} onClose={close} onChanged={reload} />}
    </>
  );
}

type Found = {
  readonly groups: readonly UnassignedGroup[];
  readonly hasMore: boolean;
  /** There were more rows than were grouped. */
  readonly isPart: boolean;
};
type Asked = { readonly by: (typeof GROUPED_BY)[number]; readonly sort: (typeof SORTS)[number] };

/** As many pages as are shown, from the first: groups change places while one works through them. */
async function groupsOf(asked: Asked, pagesShown: number, signal: AbortSignal): Promise<Found> {
  const groups = new Map<string, UnassignedGroup>();
  let cursor: string | null = null;
  let isPart = false;
  for (let page = 0; page < pagesShown; page += 1) {
    const more: { cursor?: string } = cursor === null ? {} : { cursor };
    const found = await api().listUnassignedGroups({ ...asked, ...atMoment(), ...more, limit: PAGE }, { signal });
    for (const group of found.items) groups.set(`${group.companies} ${group.key}`, group);
    cursor = found.nextCursor;
    isPart = found.atLeast;
    if (cursor === null) break;
  }
  return { groups: [...groups.values()], hasMore: cursor !== null, isPart };
}

type GroupsProps = {
  readonly groups: readonly UnassignedGroup[];
  readonly isLoading: Load<unknown>['isLoading'];
  readonly onMore: (() => void) | null;
  readonly onOpen: (id: string) => void;
  readonly onChanged: () => void;
};

function Groups({ groups, isLoading, onMore, onOpen, onChanged }: GroupsProps) {
  const w = pageWords();
  const { isSkipped, toggle } = useSkipped();
  const [showsSkipped, setShowsSkipped] = useState(false);
  const skipped = groups.filter(isSkipped);
  const shown = showsSkipped ? groups : groups.filter((group) => !isSkipped(group));
  if (groups.length === 0) return <Empty>{asOf.value === null ? w.empty : w.emptyThen}</Empty>;
  return (
    <>
      <ul class="groups" aria-label={w.groups}>
        {shown.map((group) => (
          <GroupCard
            key={`${group.by} ${group.companies} ${group.key}`}
            group={group}
            isSkipped={isSkipped(group)}
            onSkip={() => toggle(group)}
            onOpen={onOpen}
            onChanged={onChanged}
          />
        ))}
      </ul>
      <div class="row">
        {onMore !== null && (
          <Button busy={isLoading} onClick={onMore}>
            {w.more}
          </Button>
        )}
        {skipped.length > 0 && (
          <span class="row muted">
            {w.skipped(skipped.length)}
            <Button kind="quiet" onClick={() => setShowsSkipped(!showsSkipped)}>
              {showsSkipped ? w.hideSkipped : w.showSkipped}
            </Button>
          </span>
        )}
      </div>
    </>
  );
}
