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

function sendStandings(runner: ProjectionRunner, post: (message: FromBackground) => void) {
  const sent = new Map<string, string>();
  let scheduled = false;

  function now(): void {
    const standings: Standing[] = [];
    for (const standing of runner.standings()) {
      const text = JSON.stringify(standing);
      if (sent.get(standing.name) === text) continue;
      sent.set(standing.name, text);
      standings.push(standing);
    }
    if (standings.length > 0) post({ type: 'moved', standings });
  }

  return {
    now,
    /** Once for all that moves in the same iteration of the event loop. */
    soon(): void {
      if (scheduled) return;
      scheduled = true;
      setImmediate(() => {
        scheduled = false;
        now();
      });
    },
  };
}
