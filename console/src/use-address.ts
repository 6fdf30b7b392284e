import { useComputed } from '@preact/signals';
import { type Schema, searchOf, type Values, valuesOf } from './address.ts';
import { navigate, search } from './router.ts';

export type Address<S extends Schema> = {
  readonly values: Values<S>;
  /** Undefined removes a value. `replace` leaves no step behind in the browser's history. */
  readonly set: (
    changes: { readonly [Name in keyof S]?: Values<S>[Name] | undefined },
    options?: { readonly replace?: boolean },
  ) => void;
};

/** The page's filters, whose truth is the address. */
export function useAddress<S extends Schema>(schema: S): Address<S> {
  const values = useComputed(() => valuesOf(schema, search.value));
  return {
    values: values.value,
    set: (changes, options) => {
      navigate(`${location.pathname}${searchOf(schema, location.search, changes)}`, options);
    },
  };
}
