import type { ComponentChildren } from 'preact';

type Props = { readonly name: string; readonly children: ComponentChildren };

export function Specimen({ name, children }: Props) {
  return (
    <section class="card stack">
      <h2>{name}</h2>
      {children}
    </section>
  );
}
