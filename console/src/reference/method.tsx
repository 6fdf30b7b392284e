const TONES: Readonly<Record<string, string>> = { GET: 'muted', DELETE: 'bad', PUT: 'warn', PATCH: 'warn' };

/** The method of an operation; `short` in the narrow column of the navigation. */
export function Method({ name, short = false }: { readonly name: string; readonly short?: boolean }) {
  return (
    <span class={`method ${TONES[name] ?? 'post'}`}>
      {short && name === 'DELETE' ? <abbr title="DELETE">DEL</abbr> : name}
    </span>
  );
}
