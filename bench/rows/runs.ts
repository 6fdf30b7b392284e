import { requestBackfill, requestPreview } from '../../src/commands/rule-runs.ts';
import { openRunServices, type RunServices } from '../fixtures/run-services.ts';
import { interleave, rate, ratios, side } from '../interleave.ts';
import type { Measured, Row, Setting } from '../row.ts';

const EVERYTHING = { from: null, to: null, accountIds: null, bankCodes: null };
const ROUNDS_OF_LONG_ROWS = 2;

async function previewed(services: RunServices, nth: number) {
  const ruleId = await services.makeRule(nth);
  const preview = await requestPreview(services.context, ruleId, EVERYTHING);
  if (!preview.accepted) throw new Error(preview.refused);
  const runId = preview.state.requested?.runId ?? '';
  return { ruleId, runId };
}

/** Times a run over all transactions against just reading each of them, and measures the memory meanwhile. */
async function measureRuns(
  { quick, rounds, say }: Setting,
  prepare: (services: RunServices, nth: number) => Promise<string>,
): Promise<Measured> {
  const count = quick ? 5_000 : 1_000_000;
  const services = await openRunServices(count, say);
  try {
    let nth = 0;
    let matched = 0;
    const peaks: number[] = [];
    const times = await interleave(quick ? rounds : ROUNDS_OF_LONG_ROWS, {
      ours: side({
        prepare: async () => {
          nth += 1;
          return prepare(services, nth * 10);
        },
        run: async (runId) => {
          const before = process.memoryUsage().rss;
          let peak = before;
          const watching = setInterval(() => {
            peak = Math.max(peak, process.memoryUsage().rss);
          }, 100);
          ({ matchedCount: matched } = await services.carryOut(runId));
          clearInterval(watching);
          peaks.push((peak - before) / 1e6);
        },
        tidy: () => services.caughtUp(),
      }),
      scan: side({
        run: async () => {
          const seen = await services.scan();
          if (seen !== count) throw new Error(`${seen} candidates of ${count}`);
        },
      }),
    });
    return {
      values: ratios(times.ours, times.scan),
      details: [
        `ours ${rate(count, times.ours)} candidates, of which ${matched} matched; scan ${rate(count, times.scan)}`,
        `resident memory grew by ${Math.round(Math.max(...peaks))} MB at most while it ran`,
      ],
    };
  } finally {
    await services.close();
  }
}

export const previewRun: Row = {
  name: 'preview',
  title: 'a preview of a rule over 1,000,000 candidates on the embedded stores',
  baseline: 'a scan of the same rows',
  aim: { kind: 'cost', atMost: 3 },
  measure: (setting) => measureRuns(setting, async (services, nth) => (await previewed(services, nth)).runId),
};

export const backfillRun: Row = {
  name: 'backfill',
  title: 'a backfill of a rule over 1,000,000 candidates on the embedded stores',
  baseline: 'a scan of the same rows',
  aim: { kind: 'cost', atMost: 3 },
  measure: (setting) =>
    measureRuns(setting, async (services, nth) => {
      const { ruleId, runId } = await previewed(services, nth);
      await services.carryOut(runId);
      const backfill = await requestBackfill(services.context, ruleId, runId);
      if (!backfill.accepted) throw new Error(backfill.refused);
      return backfill.state.requested?.runId ?? '';
    }),
};
