import type { ComponentType } from 'preact';
import type { PageProps } from './page-props.ts';
import type { IconName } from './parts/icon.tsx';
import type { Right } from './session/access.ts';
import type { Words } from './words/en.ts';

export type PageEntry = {
  readonly path: string;
  /** The page's one heading of level 1, its link and its title. */
  readonly heading: (words: Words) => string;
  /** Null: it is not in the navigation. */
  readonly icon: IconName | null;
  /** Without these rights the page is neither shown nor loaded. */
  readonly needs: readonly Right[];
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
};

/** In the order of the navigation, one line each; the first is where the console begins. */
// biome-ignore format: one line a page, so that pages that are added at the same time do not conflict
export const pages: readonly PageEntry[] = [
  { path: 'overview', heading: ({ pages }) => pages.overview, icon: 'overview', needs: ['transactions:read'], load: () => import('./pages/overview/page.tsx') },
  { path: 'transactions', heading: ({ pages }) => pages.transactions, icon: 'transactions', needs: ['transactions:read'], load: () => import('./pages/transactions/page.tsx') },
  { path: 'review', heading: ({ pages }) => pages.review, icon: 'review', needs: ['transactions:read'], load: () => import('./pages/review/page.tsx') },
  { path: 'rules', heading: ({ pages }) => pages.rules, icon: 'rules', needs: ['rules:read'], load: () => import('./pages/rules/page.tsx') },
  { path: 'connections', heading: ({ pages }) => pages.connections, icon: 'connections', needs: ['connections:read'], load: () => import('./pages/connections/page.tsx') },
  { path: 'analytics', heading: ({ pages }) => pages.analytics, icon: 'analytics', needs: ['analytics:read'], load: () => import('./pages/analytics/page.tsx') },
  { path: 'audit', heading: ({ pages }) => pages.audit, icon: 'audit', needs: ['audit:read'], load: () => import('./pages/audit/page.tsx') },
  { path: 'webhooks', heading: ({ pages }) => pages.webhooks, icon: 'webhooks', needs: ['administration', 'webhooks:read'], load: () => import('./pages/webhooks/page.tsx') },
  { path: 'administration', heading: ({ pages }) => pages.administration, icon: 'administration', needs: ['administration'], load: () => import('./pages/administration/page.tsx') },
  { path: 'profile', heading: ({ pages }) => pages.profile, icon: null, needs: [], load: () => import('./pages/profile/page.tsx') },
  ...(import.meta.env.DEV ? [{ path: 'parts', heading: () => 'Parts', icon: null, needs: [] as const, load: () => import('./pages/parts/page.tsx') }] : []),
];
