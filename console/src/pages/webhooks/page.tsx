import type { PageProps } from '../../page-props.ts';
import { WebhookList } from './webhook-list.tsx';
import { WebhookPage } from './webhook-page.tsx';

/** Receivers that events are delivered to. */
export function Page({ rest: [id] }: PageProps) {
  return id === undefined ? <WebhookList /> : <WebhookPage key={id} id={id} />;
}
