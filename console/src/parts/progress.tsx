import { language } from '../words/language.ts';

type Props = {
  readonly label: string;
  readonly done: number;
  /** Null: not known yet. */
  readonly of: number | null;
};

/** How far long work has come, in words and as a bar. */
export function Progress({ label, done, of }: Props) {
  const format = new Intl.NumberFormat(language.value);
  const share = of === null || of === 0 ? null : done / of;
  return (
    <div class="progress">
      <p class="row between small">
        <span>{label}</span>
        <span class="digits muted">
          {of === null ? format.format(done) : `${format.format(done)} / ${format.format(of)}`}
        </span>
      </p>
      <progress aria-label={label} max={1} {...(share === null ? {} : { value: Math.min(1, share) })} />
    </div>
  );
}
