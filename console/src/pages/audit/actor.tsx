import type { AuditedEvent, ExpandedNames } from '../../../../sdk/src/index.ts';
import { auditWords } from './words.ts';

type Props = { readonly actor: AuditedEvent['actor']; readonly names?: ExpandedNames | undefined };

/** Who did it, by name where it has one. */
export function Actor({ actor, names }: Props) {
  const w = auditWords();
  const name = names?.actor?.[actor.id]?.name;
  return (
    <span class="clip" title={actor.id}>
      {name ?? w.actors[actor.type]}
    </span>
  );
}
