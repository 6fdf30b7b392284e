import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import type { HttpServices } from '../http/core/http-services.ts';
import { createWebhookMessages } from '../http/resources/webhook-message.ts';
import type { Progress } from '../projections/engine/progress.ts';
import type { ProjectionRunner } from '../projections/engine/projection-runner.ts';
import type { SettledReads } from '../projections/engine/settled-reads.ts';
import { history } from '../projections/history.ts';
import { webhooks } from '../projections/webhooks.ts';
import { type Reactor, startReactor } from '../reactors/reactor.ts';
import type { ReactorServices } from '../reactors/reactor-services.ts';
import { openWebhookRuns } from '../reactors/webhooks/run-webhooks.ts';
import { openDeliveries } from '../webhooks/deliveries.ts';
import { openPostMessage } from '../webhooks/post-message.ts';
import { openSigningSecrets } from '../webhooks/signing-secrets.ts';

const SWEEP_EVERY_MS = 60_000;

export type Webhooks = {
  readonly http: HttpServices['webhooks'];
  /** Starts to deliver. */
  readonly start: (runner: ProjectionRunner, settledReads: SettledReads) => Reactor[];
  readonly close: () => void;
};

/** Webhooks as requests manage them, and as they are delivered. */
export async function openWebhooks(
  services: ReactorServices,
  config: Pick<Config, 'webhookReceivers'>,
  progress: Progress,
): Promise<Webhooks> {
  const { readStore, readModels, log, clock, vault, timing, logger } = services;
  const deliveries = await openDeliveries(readStore, clock);
  const secrets = openSigningSecrets(vault, clock);
  const { post, close } = openPostMessage({
    policy: config.webhookReceivers,
    timeoutMs: timing.webhookTimeoutMs,
    userAgent: `${packageJson.name}/${packageJson.version}`,
  });
  const messageOf = createWebhookMessages({ log, readModels, waitFor: progress.waitFor, clock });
  return {
    http: { deliveries, secrets, post, policy: config.webhookReceivers },
    start(runner, settledReads) {
      const retryTimes = timing.webhookRetries;
      const runs = openWebhookRuns({ ...services, deliveries, secrets, post, retryTimes, messageOf }, settledReads);
      const common = { logger, now: clock.now };
      const delivering = startReactor({ ...common, name: 'webhooks', idleMs: timing.idleMs, runOnce: runs.look });
      const sweeping = startReactor({
        ...common,
        name: 'webhook deliveries',
        idleMs: SWEEP_EVERY_MS,
        runOnce: deliveries.sweep,
      });
      runner.onApplied(({ name, documentIds }) => {
        if (name === history.name) runs.wake(new Set(documentIds.map((id) => id.slice(0, id.indexOf('/')))));
        if (name !== webhooks.name) return;
        runs.changed();
        delivering.wake();
      });
      const stop = async (): Promise<void> => {
        await delivering.stop();
        await runs.stop();
      };
      return [{ ...delivering, stop }, sweeping];
    },
    close,
  };
}
