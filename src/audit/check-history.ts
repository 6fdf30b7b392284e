import { leafOf, type SealedForm } from './leaf.ts';
import { merkleRoot } from './merkle.ts';
import { fingerprintList, fingerprintOf, isSealSigned, type Seal, sealHash } from './seal.ts';
import { openWaitingEvents, type WaitingEvent } from './waiting-events.ts';

/** What is wrong with a history, and the first event at which it shows. */
export type HistoryFault = {
  readonly kind: 'changed' | 'removed' | 'added' | 'moved' | 'seal' | 'cut';
  readonly message: string;
  /** 0-based among the tenant's events in log order. */
  readonly index: number;
  readonly eventId: string | null;
};

export type HistoryCheck = {
  /** Checks the next event in log order and returns the fault it reveals, after which the check is over. */
  readonly take: (form: SealedForm) => HistoryFault | null;
  readonly counts: () => { readonly events: number; readonly sealedEvents: number; readonly seals: number };
  readonly lastSeal: () => Seal | null;
  /** Events after the last seal. */
  readonly unsealed: () => readonly WaitingEvent[];
  /** Their leaves, made one after the other. */
  readonly unsealedLeaves: () => Iterable<Buffer>;
};

/**
 * Checks events in log order against the seals among them: each seal must be signed, continue from the previous one,
 * and cover exactly the events that come next. Only events that no seal covers yet are held in memory.
 * @param trusted the public key that must have signed, raw base64; null: any one key, the same throughout a chain
 * @param from where to begin when it is not the first event: the last seal that was checked before
 * @param earlier hashes of the seals before that one, as far as they stand after the events that it covers
 */
export function openHistoryCheck(
  trusted: string | null,
  from: Seal | null = null,
  earlier: ReadonlySet<string> = new Set(),
): HistoryCheck {
  let previous: Seal | null = from;
  let events = from?.totalCount ?? 0;
  const waiting = openWaitingEvents();

  const fault = (kind: HistoryFault['kind'], index: number, eventId: string | null, message: string): HistoryFault => {
    return { kind, index, eventId, message };
  };

  /**
   * A check that begins after a seal still finds the seal itself among the events that follow those it covers, and the
   * seals before it where sealing lagged behind.
   */
  const isKnownSeal = (seal: Seal): boolean => {
    if (previous === null || seal.ordinal > previous.ordinal) return false;
    const hash = sealHash(seal);
    return hash === sealHash(previous) || earlier.has(hash);
  };

  function sealFault(seal: Seal, id: string, index: number): HistoryFault | null {
    if (!isSealSigned(seal)) return fault('seal', index, id, `the signature of seal ${seal.ordinal} is not valid`);
    const last = previous?.ordinal ?? 0;
    if (seal.ordinal > last + 1) {
      return fault(
        'seal',
        index,
        id,
        `seal ${seal.ordinal} stands where seal ${last + 1} should: one was removed or this one moved`,
      );
    }
    const expectedKey = trusted ?? previous?.publicKey ?? seal.publicKey;
    if (seal.publicKey !== expectedKey)
      return fault('seal', index, id, `seal ${seal.ordinal} is signed by another key`);
    const follows = previous === null ? null : sealHash(previous);
    if (seal.previousHash !== follows || seal.ordinal !== last + 1) {
      return fault('seal', index, id, `seal ${seal.ordinal} does not follow on seal ${last}`);
    }
    return null;
  }

  function takeSeal(seal: Seal, id: string, index: number): HistoryFault | null {
    const wrong = sealFault(seal, id, index);
    if (wrong !== null) return wrong;
    const sealed = waiting.first(seal.eventCount);
    const first = events - waiting.count();
    const whole = sealed.length === seal.eventCount;
    if (!whole || merkleRoot(sealed.map(({ leaf }) => leaf)).toString('hex') !== seal.root) {
      return whereItDiffers(seal.fingerprints, `seal ${seal.ordinal}`, waiting.first(waiting.count()), first);
    }
    waiting.drop(seal.eventCount);
    previous = seal;
    return null;
  }

  return {
    take(form) {
      const index = events;
      if (form.type === 'TenantSealed' && !isKnownSeal(form.data as Seal)) {
        const wrong = takeSeal(form.data as Seal, form.id, index);
        if (wrong !== null) return wrong;
      }
      waiting.add(form.id, leafOf(form));
      events += 1;
      return null;
    },
    counts: () => ({ events, sealedEvents: previous?.totalCount ?? 0, seals: previous?.ordinal ?? 0 }),
    lastSeal: () => previous,
    unsealed: () => waiting.first(waiting.count()),
    unsealedLeaves: waiting.leaves,
  };
}

/** Names the first event that is not the one that was sealed, by the seal's fingerprints. */
export function whereItDiffers(
  fingerprints: string,
  by: string,
  found: readonly WaitingEvent[],
  first: number,
): HistoryFault {
  const expected = fingerprintList(fingerprints);
  const prints = found.map(({ leaf }) => fingerprintOf(leaf));
  let at = expected.findIndex((print, index) => print !== prints[index]);
  // Everything that was sealed is there: the fault lies after it.
  if (at < 0) at = expected.length;
  const index = first + at;
  const eventId = found[at]?.id ?? null;
  const named = eventId === null ? `event ${index + 1}` : `event ${index + 1} (${eventId})`;
  const missing = expected[at];
  const extra = prints[at];
  const later = missing !== undefined && prints.indexOf(missing, at + 1) > at;
  const wanted = extra !== undefined && expected.indexOf(extra, at + 1) > at;
  if (later && wanted) {
    return { kind: 'moved', index, eventId, message: `${named} stands in another's place, by ${by}` };
  }
  if (wanted || extra === undefined) {
    return { kind: 'removed', index, eventId: null, message: `an event before ${named} was removed, by ${by}` };
  }
  if (later || missing === undefined) return { kind: 'added', index, eventId, message: `${named} was added, by ${by}` };
  return { kind: 'changed', index, eventId, message: `${named} was changed, by ${by}` };
}
