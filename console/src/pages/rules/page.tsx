import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import type { PageProps } from '../../page-props.ts';
import { may } from '../../session/session.ts';
import { ConnectionsContext } from './connections-context.ts';
import { NewRule } from './new-rule.tsx';
import { RuleList } from './rule-list.tsx';
import { RulePage } from './rule-page.tsx';

import './page.css';

export function Page({ rest: [id] }: PageProps) {
  const connections = useLoad(may('connections:read') ? 'connections' : '', (signal) =>
    api().listConnections({ limit: 200 }, { signal }),
  );
  return (
    <ConnectionsContext.Provider value={connections.data?.items ?? []}>
      {id === undefined ? <RuleList /> : id === 'new' ? <NewRule /> : <RulePage key={id} id={id} />}
    </ConnectionsContext.Provider>
  );
}
