/** Some of the fields of a value, at any depth; a list is a whole list. */
export type Like<T> = T extends readonly (infer Element)[]
  ? readonly Like<Element>[]
  : T extends object
    ? { readonly [Field in keyof T]?: Like<T[Field]> }
    : T;
