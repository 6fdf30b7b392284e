/** A number of JSON by its own text, of which JSON.stringify writes every digit. */
export type RawNumber = { readonly rawJSON: string };

/** Not among the compiler's declarations yet. */
const json = JSON as typeof JSON & {
  readonly rawJSON: (text: string) => RawNumber;
  readonly isRawJSON: (value: unknown) => value is RawNumber;
};

export function rawNumber(text: string): RawNumber {
  return json.rawJSON(text);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value);
}
