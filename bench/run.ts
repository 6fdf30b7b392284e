import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { calibrate } from './calibration.ts';
import { median } from './interleave.ts';
import type { Aim, Measured, Row } from './row.ts';
import { rows } from './rows/all.ts';

const ROUNDS = 5;
const QUICK_ROUNDS = 2;

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    /** Small sizes and two rounds: shows that every row works; the figures mean nothing. */
    quick: { type: 'boolean', default: false },
    /** Fails when a row misses its aim. */
    strict: { type: 'boolean', default: false },
  },
});

if (options.list) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, title, baseline, aim } of rows) {
    console.log(`${name.padEnd(width)}  ${title}\n${' '.repeat(width)}  against ${baseline}; aim ${aimText(aim)}`);
  }
  process.exit(0);
}

const unknown = wanted.filter((word) => !rows.some(({ name }) => isWanted(name, [word])));
if (unknown.length > 0) {
  console.error(`no row is named ${unknown.join(', ')}; --list names them all`);
  process.exit(64);
}

const [processor] = cpus();
console.log(
  `Node ${process.version} on ${process.platform}, ${cpus().length} × ${processor?.model ?? 'unknown'}, ` +
    `${(totalmem() / 1e9).toFixed(0)} GB; load ${loadavg()[0]?.toFixed(2)}${options.quick ? '; quick: figures mean nothing' : ''}\n`,
);
let missed = 0;
for (const row of rows.filter(({ name }) => wanted.length === 0 || isWanted(name, wanted))) {
  const startedMs = performance.now();
  const [loadBefore = 0] = loadavg();
  const before = calibrate();
  const measured = await row.measure({
    quick: options.quick,
    rounds: options.quick ? QUICK_ROUNDS : ROUNDS,
    say: (line) => console.log(`  … ${line}`),
  });
  if (!show(row, measured)) missed += 1;
  if (measured.perSecond !== undefined) showPart(measured.perSecond, median([before, calibrate()]));
  console.log(
    `  took ${((performance.now() - startedMs) / 1000).toFixed(0)} s, load before ${loadBefore.toFixed(2)}\n`,
  );
}
process.exit(options.strict && !options.quick && missed > 0 ? 1 : 0);

/** `ingest` names all rows whose names begin with it. */
function isWanted(name: string, words: readonly string[]): boolean {
  return words.some((word) => name === word || name.startsWith(`${word}-`));
}

function show({ name, title, baseline, aim }: Row, { values, details }: Measured): boolean {
  const value = median(values);
  const met = isMet(aim, value);
  const spread = values.length > 1 ? ` (${format(aim, Math.min(...values))}–${format(aim, Math.max(...values))})` : '';
  console.log(`${name}: ${title}`);
  console.log(`  ${format(aim, value)}${spread}, aim ${aimText(aim)}: ${met ? 'met' : 'MISSED'}; against ${baseline}`);
  for (const detail of details) console.log(`  ${detail}`);
  return met;
}

function showPart(rate: number, calibration: number): void {
  const whole = Math.round(calibration).toLocaleString('en');
  console.log(
    `  ${Math.round(rate).toLocaleString('en')}/s is ${(rate / calibration).toFixed(4)} of the calibration, ${whole}/s`,
  );
}

function isMet(aim: Aim, value: number): boolean {
  if (aim.kind === 'speed') return value >= aim.atLeast;
  if (aim.kind === 'above') return value >= aim.limit;
  return aim.kind === 'cost' ? value <= aim.atMost : value < aim.limit;
}

function aimText(aim: Aim): string {
  if (aim.kind === 'speed') return `≥ ${aim.atLeast}`;
  if (aim.kind === 'above') return `≥ ${aim.limit} ${aim.unit}`;
  return aim.kind === 'cost' ? `≤ ${aim.atMost}×` : `< ${aim.limit} ${aim.unit}`;
}

function format(aim: Aim, value: number): string {
  if (aim.kind === 'below' || aim.kind === 'above') return `${value.toFixed(0)} ${aim.unit}`;
  return `${value.toFixed(2)}${aim.kind === 'cost' ? '×' : ''}`;
}
