import type { Progress } from '../projections/engine/progress.ts';
import type { ProjectionRunner } from '../projections/engine/projection-runner.ts';

/** How far the read models are, told by the projections of this very process. */
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
