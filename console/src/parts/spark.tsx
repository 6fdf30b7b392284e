const WIDTH = 120;
const HEIGHT = 32;

type Props = {
  readonly label: string;
  /** In their order; null where nothing is known. Drawn, not read: the figure stands beside it. */
  readonly values: readonly (number | null)[];
};

/** A line without axes that shows where a figure came from. */
export function Spark({ label, values }: Props) {
  const known = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const x = (index: number): number => (values.length < 2 ? WIDTH : (index / (values.length - 1)) * WIDTH);
  const y = (value: number): number =>
    most === least ? HEIGHT / 2 : HEIGHT - 2 - ((value - least) / (most - least)) * (HEIGHT - 4);
  let path = '';
  let isDrawing = false;
  for (const [index, value] of values.entries()) {
    if (value !== null) path += `${isDrawing ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    isDrawing = value !== null;
  }
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
