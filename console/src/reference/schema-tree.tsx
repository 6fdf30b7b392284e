import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import type { Schema, Schemas } from './document.ts';
import { inline } from './markdown.tsx';
import { to } from './place.ts';
import { type Member, type Shape, shapeOf } from './schema.ts';

/** So many levels are open at first: the envelope and what is in it. */
const OPEN_LEVELS = 2;
const MOST_VALUES = 24;

/** Of what one sends it is said what is required, of what comes what may be missing. */
type Marked = 'required' | 'optional';
type Props = { readonly schema: Schema; readonly schemas: Schemas; readonly label: string; readonly marked: Marked };

/** The members of a schema, each with its own below it. */
export function SchemaTree({ schema, schemas, label, marked }: Props) {
  const { type, members } = shapeOf(schema, schemas);
  return members.length === 0 ? (
    <p>
      <span class="muted">{type}</span>
    </p>
  ) : (
    <Members members={members} schemas={schemas} marked={marked} level={0} label={label} />
  );
}

type MembersProps = {
  readonly members: readonly Member[];
  readonly schemas: Schemas;
  readonly marked: Marked;
  readonly level: number;
  readonly label: string;
};

function Members({ members, schemas, marked, level, label }: MembersProps) {
  return (
    <ul class={level === 0 ? 'members' : 'members inner'} aria-label={label}>
      {members.map((member) => (
        <MemberRow key={member.name} member={member} schemas={schemas} marked={marked} level={level} />
      ))}
    </ul>
  );
}

type RowProps = Omit<MembersProps, 'members' | 'label'> & { readonly member: Member };

function MemberRow({ member: { name, schema, required }, schemas, marked, level }: RowProps) {
  const [isOpen, setOpen] = useState(level + 1 < OPEN_LEVELS);
  const id = useId();
  const shape = shapeOf(schema, schemas);
  const { members } = shape;
  return (
    <li>
      <FieldHead name={name} shape={shape} mark={required === (marked === 'required') ? marked : null}>
        {members.length > 0 && (
          <button
            type="button"
            class="unfold"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={`${members.length} members of ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'down' : 'right'} />
            {members.length}
          </button>
        )}
      </FieldHead>
      <FieldText shape={shape} />
      <div id={id}>
        {isOpen && members.length > 0 && (
          <Members members={members} schemas={schemas} marked={marked} level={level + 1} label={name} />
        )}
      </div>
    </li>
  );
}

type HeadProps = {
  readonly name: string;
  readonly shape: Shape;
  readonly mark: Marked | null;
  readonly id?: string;
  readonly children?: ComponentChildren;
};

/** Name, type, and whether it has to be there. */
export function FieldHead({ name, shape, mark, id, children }: HeadProps) {
  return (
    <p class="field-head">
      <code id={id} class="name">
        {name}
      </code>
      <span class="muted small">{shape.type}</span>
      {mark !== null && <span class={`small ${mark}`}>{mark}</span>}
      {shape.deprecated && <span class="small warn">deprecated</span>}
      {children}
    </p>
  );
}

/** Description, bounds and values of a field. */
export function FieldText({ shape, id }: { readonly shape: Shape; readonly id?: string }) {
  const { description, facts, values, pattern } = shape;
  if (description === '' && facts.length === 0 && values.length === 0 && pattern === null) return null;
  const isCodes = values.length > MOST_VALUES;
  return (
    <div id={id} class="field-text">
      {description !== '' && !isCodes && <p>{inline(description)}</p>}
      {isCodes ? (
        <p>
          One of the <a href={to('errors')}>error codes</a>.
        </p>
      ) : (
        values.length > 0 && (
          <p class="small muted">
            {values.length === 1 ? 'Always ' : 'One of '}
            {values.map((value, index) => (
              <>
                {index > 0 && ' '}
                <code key={value}>{value}</code>
              </>
            ))}
          </p>
        )
      )}
      {facts.length > 0 && <p class="small muted">{facts.join(', ')}</p>}
      {pattern !== null && (
        <p class="small muted">
          matches <code>{pattern}</code>
        </p>
      )}
    </div>
  );
}
