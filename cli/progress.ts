import { Presets, SingleBar } from 'cli-progress';
import { count, say } from './say.ts';

/** How far one piece of work is. */
export type Progress = {
  readonly show: (done: number, total: number) => void;
  readonly end: (done: number) => void;
};

const QUARTERS = 4;

/** A progress bar on a terminal; elsewhere one line for each quarter, as for a log file. */
export function openProgress(title: string): Progress {
  return process.stdout.isTTY ? asBar(title) : asLines(title);
}

function asBar(title: string): Progress {
  const bar = new SingleBar(
    { format: `${title.padEnd(12)} {bar} {value}/{total}`, hideCursor: true, barsize: 40, fps: 10 },
    Presets.shades_classic,
  );
  let started = false;
  const show = (done: number, total: number): void => {
    if (!started) bar.start(total, done);
    started = true;
    bar.setTotal(Math.max(done, total));
    bar.update(done);
  };
  return {
    show,
    end(done) {
      show(done, done);
      bar.stop();
    },
  };
}

function asLines(title: string): Progress {
  let shown = 0;
  return {
    show(done, total) {
      const quarter = Math.floor((QUARTERS * done) / Math.max(1, total));
      if (quarter <= shown || quarter >= QUARTERS) return;
      shown = quarter;
      say(`${title}: ${count(done)} of about ${count(total)}`);
    },
    end: (done) => say(`${title}: ${count(done)}, done`),
  };
}
