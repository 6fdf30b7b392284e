import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LogMeter } from '../../log/metered-log.ts';
import type { PartHealth } from './part-health.ts';

/** The service's metrics, in the text format of Prometheus. No label ever names a tenant. */
export type Metrics = LogMeter & {
  /** SHA-256 of the token for /metrics. */
  readonly tokenHash: Buffer;
  /** @param operation null for a path without an operation */
  readonly answered: (operation: string | null, status: number, durationMs: number) => void;
  readonly text: () => Promise<{ readonly type: string; readonly body: string }>;
  /** The source of the parts' state, known once they have started. */
  readonly watch: (health: () => Promise<readonly PartHealth[]>) => void;
};

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const APPEND_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

export function openMetrics(tokenHash: Buffer): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'bank_http_request_duration_seconds',
    help: 'Duration of requests by operation and status class, from the request line to the answer.',
    labelNames: ['operation', 'status'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  });
  const appends = new Histogram({
    name: 'bank_log_append_duration_seconds',
    help: 'Duration of successful appends to the event log.',
    buckets: APPEND_SECONDS,
    registers,
  });
  const events = new Counter({
    name: 'bank_log_events_total',
    help: 'Events this instance appended, by type: SyncRequested, SyncCompleted and SyncFailed count the syncs.',
    labelNames: ['type'] as const,
    registers,
  });
  const ok = new Gauge({
    name: 'bank_part_ok',
    help: '1 for a healthy part of the service, 0 for one that /health/ready reports.',
    labelNames: ['part'] as const,
    registers,
  });
  const state = new Gauge({
    name: 'bank_part_state',
    help:
      '1 for the state a part is in: up, down, live, catching-up, halted, parked, standby, ahead, ' +
      'working, waiting, failing.',
    labelNames: ['part', 'state'] as const,
    registers,
  });
  const lagEvents = new Gauge({
    name: 'bank_projection_lag_events',
    help: 'Events in the log that a projection has not processed yet; estimated where they cannot be counted.',
    labelNames: ['part'] as const,
    registers,
  });
  const lagSeconds = new Gauge({
    name: 'bank_projection_lag_seconds',
    help: 'Age of the oldest event that a projection has not processed yet.',
    labelNames: ['part'] as const,
    registers,
  });
  let health: () => Promise<readonly PartHealth[]> = async () => [];

  async function sample(): Promise<void> {
    const parts = await health();
    state.reset();
    for (const part of parts) {
      ok.set({ part: part.name }, part.ok ? 1 : 0);
      state.set({ part: part.name, state: part.state }, 1);
      if (part.lagEvents !== undefined) lagEvents.set({ part: part.name }, part.lagEvents);
      if (part.lagMs !== undefined) lagSeconds.set({ part: part.name }, part.lagMs / 1_000);
    }
  }

  return {
    tokenHash,
    answered: (operation, status, durationMs) =>
      requests.observe({ operation: operation ?? 'none', status: `${Math.floor(status / 100)}xx` }, durationMs / 1_000),
    appended: (types, durationMs) => {
      appends.observe(durationMs / 1_000);
      for (const type of types) events.inc({ type });
    },
    watch: (source) => {
      health = source;
    },
    async text() {
      await sample();
      return { type: registry.contentType, body: await registry.metrics() };
    },
  };
}
