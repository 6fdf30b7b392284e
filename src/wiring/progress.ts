import type { Progress } from '../projections/engine/progress.ts';
import type { ProjectionRunner } from '../projections/engine/projection-runner.ts';

/** The progress of the read models, from the projections of this process. */
export function progressOf(runner: ProjectionRunner): Progress {
  return {
    waitFor: runner.waitFor,
    positionOf: async (name) => runner.status().find((status) => status.name === name)?.position ?? '',
    nextChange: (timeoutMs) =>
      new Promise((done) => {
        const timer = setTimeout(finish, timeoutMs);
        const forget = runner.onApplied(finish);
        function finish(): void {
          clearTimeout(timer);
          forget();
          done();
        }
      }),
  };
}
