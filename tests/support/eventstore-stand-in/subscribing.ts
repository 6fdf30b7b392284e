import type * as pb from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { Faults, Place } from './faults.ts';
import type { Store, StoredEvent } from './store.ts';
import type { Manner } from './versions.ts';

/** Events that a live subscription may have waiting before it counts as fallen behind. */
const LIVE_BUFFER = 32;
/** What newer servers nominate where nothing has passed the filter since the start. */
const NOWHERE: Place = { commit: 0xffff_ffff_ffff_ffffn, prepare: 0xffff_ffff_ffff_ffffn };

export type Subscriber = {
  readonly options: pb.ReadReq.Options;
  /** Index of the first event to examine. */
  readonly from: number;
  readonly ended: () => boolean;
  readonly onEnd: (wake: () => void) => void;
  /** Called whenever the subscriber has been sent everything there is. */
  readonly onLive: () => void;
  readonly event: (event: StoredEvent) => Promise<void>;
  readonly message: (message: pb.ReadResp) => Promise<void>;
};

/**
 * Serves one subscription until it ends: existing events, then new ones, with all messages that a server of this
 * version sends in between.
 */
export async function subscribeTo(store: Store, faults: Faults, manner: Manner, subscriber: Subscriber): Promise<void> {
  const { options, ended } = subscriber;
  const passes = filterOf(options);
  const interval = intervalOf(options);
  const fromStart = options.getAll()?.hasStart() === true;
  let index = subscriber.from;
  let looked = 0;
  let sinceCheckpoint = 0;
  let anyPassed = false;
  let live = false;
  let wake = (): void => {};
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const stop = store.onAppend(() => wake());
  subscriber.onEnd(() => wake());

  async function catchUp(): Promise<void> {
    live = true;
    if (!manner.keepsCountWhenLive) sinceCheckpoint = 0;
    if (manner.sendsCaughtUp) await sayCaughtUp();
    subscriber.onLive();
  }

  async function sayCaughtUp(): Promise<void> {
    if (interval !== undefined) {
      const last = store.events[index - 1];
      if (fromStart && !anyPassed) await subscriber.message(checkpoint(NOWHERE));
      else if (looked > 0 && last !== undefined) await subscriber.message(checkpoint(nominated(last)));
    }
    await subscriber.message(caughtUp());
  }

  async function look(event: StoredEvent): Promise<void> {
    index += 1;
    looked += 1;
    sinceCheckpoint += 1;
    if (passes(event)) {
      anyPassed = true;
      await subscriber.event(event);
    }
    if (interval === undefined || sinceCheckpoint < interval) return;
    sinceCheckpoint = 0;
    await subscriber.message(checkpoint(nominated(event)));
  }

  function nominated(event: StoredEvent): Place {
    return faults.nominate?.(event, store.events[index]) ?? { commit: event.position, prepare: event.position };
  }

  try {
    while (faults.silentSubscriptions && !ended()) await pause();
    await subscriber.message(confirmation());
    while (!ended()) {
      const event = store.events[index];
      if (event === undefined || faults.silentSubscriptions) {
        if (!live && !faults.silentSubscriptions) await catchUp();
        if (store.events[index] === undefined || faults.silentSubscriptions) await pause();
        continue;
      }
      if (live && manner.sendsCaughtUp && store.events.length - index > LIVE_BUFFER) {
        live = false;
        looked = 0;
        await subscriber.message(fellBehind());
      }
      await look(event);
    }
  } finally {
    stop();
  }
}

function filterOf(options: pb.ReadReq.Options): (event: StoredEvent) => boolean {
  const prefixes = options.getFilter()?.getStreamIdentifier()?.getPrefixList() ?? [''];
  return (event) => prefixes.some((prefix) => event.stream.startsWith(prefix));
}

/** Events examined from one checkpoint to the next; undefined without a filter, which has no checkpoints. */
function intervalOf(options: pb.ReadReq.Options): number | undefined {
  const filter = options.getFilter();
  return filter && (filter.getMax() || 32) * (filter.getCheckpointintervalmultiplier() || 1);
}

function confirmation(): pb.ReadResp {
  const confirmed = new streamsPb.ReadResp.SubscriptionConfirmation();
  confirmed.setSubscriptionId('stand-in');
  const response = new streamsPb.ReadResp();
  response.setConfirmation(confirmed);
  return response;
}

function checkpoint({ commit, prepare }: Place): pb.ReadResp {
  const mark = new streamsPb.ReadResp.Checkpoint();
  mark.setCommitPosition(String(commit));
  mark.setPreparePosition(String(prepare));
  const response = new streamsPb.ReadResp();
  response.setCheckpoint(mark);
  return response;
}

function caughtUp(): pb.ReadResp {
  const response = new streamsPb.ReadResp();
  response.setCaughtUp(new streamsPb.ReadResp.CaughtUp());
  return response;
}

function fellBehind(): pb.ReadResp {
  const response = new streamsPb.ReadResp();
  response.setFellBehind(new streamsPb.ReadResp.FellBehind());
  return response;
}
