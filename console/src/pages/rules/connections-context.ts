import { createContext } from 'preact';

type Named = { readonly id: string; readonly title?: string | undefined };

/** The connections that a condition or a scope may name. */
export const ConnectionsContext = createContext<readonly Named[]>([]);
