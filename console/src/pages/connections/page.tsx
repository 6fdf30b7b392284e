import type { PageProps } from '../../page-props.ts';
import { ConnectionList } from './connection-list.tsx';
import { ConnectionPage } from './connection-page.tsx';
import { NewConnection } from './new-connection.tsx';

import './page.css';

export function Page({ rest: [id] }: PageProps) {
  if (id === undefined) return <ConnectionList />;
  return id === 'new' ? <NewConnection /> : <ConnectionPage key={id} id={id} />;
}
