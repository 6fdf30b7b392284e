import type { MessagePort } from 'node:worker_threads';
import type { ProjectionRunner, Standing } from '../projections/engine/projection-runner.ts';
import type { Reactor } from '../reactors/reactor.ts';
import { healthHere, tenantsOf, wakeOne } from './background.ts';
import type { Asked, FromBackground, ToBackground } from './thread-messages.ts';

/** Answers the thread that started this one, and sends it what moves here, until it asks this one to stop. */
export function answerThread(
  port: MessagePort,
  runner: ProjectionRunner,
  reactors: readonly Reactor[],
  stop: () => Promise<void>,
): void {
  const post = (message: FromBackground): void => port.postMessage(message);
  const sendMoved = sendStandings(runner, post);
  runner.onMoved(sendMoved.soon);
  runner.onApplied(({ name, documentIds, position }) => {
    post({ type: 'changed', change: { name, position, tenantIds: tenantsOf(documentIds) } });
    sendMoved.soon();
  });
  sendMoved.now();

  const stopReactors = async (): Promise<null> => {
    await Promise.all(reactors.map((reactor) => reactor.stop()));
    return null;
  };

  async function answerOf(asked: Asked): Promise<unknown> {
    switch (asked.type) {
      case 'waitFor': {
        const reached = await runner.waitFor(asked.names, asked.position, asked.timeoutMs);
        // Before the answer, so that whoever reads on is not behind what it has waited for.
        sendMoved.now();
        return reached;
      }
      case 'health':
        return healthHere(runner, reactors);
      case 'stopReactors':
        return stopReactors();
      default:
        await stopReactors();
        await stop();
        return null;
    }
  }

  port.on('message', (asked: ToBackground) => {
    if (asked.type === 'begin') return;
    if (asked.type === 'wake') {
      wakeOne(reactors, asked.worker);
      return;
    }
    answerOf(asked).then(
      (value) => {
        post({ type: 'answer', id: asked.id, value });
        if (asked.type === 'stop') port.close();
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        post({ type: 'failure', id: asked.id, message });
        // What could not be stopped ends with the thread.
        if (asked.type === 'stop') process.exit(1);
      },
    );
  });
}

/** While rows come in a read model moves every millisecond, and each message costs more than a move. */
const SENT_EVERY_MS = 4;

function sendStandings(runner: ProjectionRunner, post: (message: FromBackground) => void) {
  const sent = new Map<string, Standing>();
  let scheduled = false;
  let sentAtMs = Number.NEGATIVE_INFINITY;

  function now(): void {
    const moved = runner.standings().filter((standing) => !isSame(standing, sent.get(standing.name)));
    for (const standing of moved) sent.set(standing.name, standing);
    if (moved.length > 0) post({ type: 'moved', standings: moved });
  }

  return {
    now,
    /** At once for the first move after a rest, then once for all that moves in a time. */
    soon(): void {
      if (scheduled) return;
      scheduled = true;
      const send = (): void => {
        scheduled = false;
        sentAtMs = performance.now();
        now();
      };
      const waitMs = sentAtMs + SENT_EVERY_MS - performance.now();
      if (waitMs > 0) setTimeout(send, waitMs);
      else setImmediate(send);
    },
  };
}

function isSame(one: Standing, other: Standing | undefined): boolean {
  return (
    other !== undefined &&
    one.position === other.position &&
    one.version === other.version &&
    one.foldedHere === other.foldedHere &&
    one.liveHere === other.liveHere &&
    one.whole === other.whole
  );
}
