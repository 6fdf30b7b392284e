import { Empty } from '../../parts/empty.tsx';

export function Page() {
  return <Empty>…</Empty>;
}
