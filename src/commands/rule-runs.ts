import type { Refusal } from '../deciders/refusal.ts';
import {
  decideCancelRun,
  type RuleRunOutcome,
  type RuleRunState,
  refusePreview,
  refuseRevert,
  requestRun,
  ruleRun,
  useRun,
} from '../deciders/rule-run.ts';
import { type TransactionRuleState, transactionRule } from '../deciders/transaction-rule.ts';
import type { StreamEvent } from '../events/event.ts';
import type { EventData } from '../events/registry.ts';
import type { RunScope } from '../events/rule-run.ts';
import { isStreamId, streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { canonicalJson, sha256 } from '../shared/hash.ts';
import { computedId } from '../shared/ids.ts';
import { type CommandContext, executeOnLong, type LongOutcome } from './command.ts';
import { lastOrdinal } from './ordinals.ts';
import { ordinalBegunBefore } from './repetition.ts';
import { fold, readState } from './stream-state.ts';

type Done = Promise<LongOutcome<RuleRunState>>;
type Requested = EventData<'RunRequested'>;

function onRun(
  context: CommandContext,
  runId: string,
  decide: (state: RuleRunState) => RuleRunOutcome,
  contentFrom: readonly StreamEvent[] = [],
): Done {
  return executeOnLong(context, {
    contentFrom,
    stream: streamName('ruleRun', context.tenantId, runId),
    decider: ruleRun,
    notFound: 'RUN_NOT_FOUND',
    decide,
  });
}

type Loaded<State> = {
  readonly state: State;
  readonly companyId: string | null;
  /** The first event of its stream. */
  readonly first: StreamEvent;
};

/** Null for one of another company, or none. */
function visible<State>(context: CommandContext, state: State, first: StreamEvent | undefined): Loaded<State> | null {
  if (first === undefined) return null;
  const { companyId } = first.metadata;
  return context.companyId !== null && companyId !== context.companyId ? null : { state, companyId, first };
}

async function loadRule(context: CommandContext, ruleId: string): Promise<Loaded<TransactionRuleState> | null> {
  const events = await context.log.readStream(streamName('transactionRule', context.tenantId, ruleId));
  return visible(context, fold(transactionRule, events), events[0]);
}

async function loadRun(context: CommandContext, runId: string): Promise<Loaded<RuleRunState> | null> {
  // A preview's id comes from a body.
  if (!isStreamId(runId)) return null;
  const { state, first } = await readState(context.log, streamName('ruleRun', context.tenantId, runId), ruleRun);
  return visible(context, state, first);
}

const no = (refusal: Refusal) => ({ accepted: false, ...refusal }) as const;

/** Freezes the rule as it is and the candidates at the end of the log as it is. */
export async function requestPreview(context: CommandContext, ruleId: string, scope: RunScope): Done {
  const rule = await loadRule(context, ruleId);
  if (rule?.state.content == null) return no({ refused: 'RULE_NOT_FOUND' });
  if (rule.state.archived) return no({ refused: 'RULE_ARCHIVED' });
  const { conditions, actions, tags, snapshotHash } = rule.state.content;
  const runId = context.newId();
  const requested: Requested = {
    runId,
    type: 'preview',
    ruleId,
    ruleVersion: rule.state.version,
    ruleSnapshotHash: snapshotHash,
    conditions,
    actions,
    tags,
    scope,
    scopeHash: sha256(canonicalJson({ companyId: rule.companyId, scope })),
    snapshotMaxId: await context.log.head(),
    ordinal: null,
    previewRunId: null,
    revertsRunId: null,
    requestedAt: isoTime(context.clock.now()),
  };
  return onRun({ ...context, companyId: rule.companyId }, runId, (state) => requestRun(state, requested));
}

export function requestBackfill(context: CommandContext, ruleId: string, previewRunId: string): Done {
  return startNext(
    context,
    async () => ruleId,
    async () => {
      const rule = await loadRule(context, ruleId);
      if (rule?.state.content == null) return no({ refused: 'RULE_NOT_FOUND' });
      if (rule.state.archived) return no({ refused: 'RULE_ARCHIVED' });
      const preview = await loadRun(context, previewRunId);
      if (preview?.state.requested == null) return no({ refused: 'RUN_NOT_FOUND' });
      const refusal = refusePreview(preview.state, { ruleId, snapshotHash: rule.state.content.snapshotHash });
      if (refusal !== null) return no(refusal);
      const wanted = { ...preview.state.requested, type: 'backfill', previewRunId } as const;
      return { accepted: true, companyId: rule.companyId, wanted, contentFrom: [preview.first] };
    },
  );
}

export function requestRevert(context: CommandContext, runId: string): Done {
  const ruleIdOf = async () => (await loadRun(context, runId))?.state.requested?.ruleId ?? null;
  return startNext(context, ruleIdOf, async () => {
    const run = await loadRun(context, runId);
    if (run?.state.requested == null) return no({ refused: 'RUN_NOT_FOUND' });
    const refusal = refuseRevert(run.state);
    if (refusal !== null) return no(refusal);
    const wanted = { ...run.state.requested, type: 'revert', previewRunId: null, revertsRunId: runId } as const;
    return { accepted: true, companyId: run.companyId, wanted, contentFrom: [run.first] };
  });
}

/**
 * The id of a rule's nth backfill or revert. Computed, so that two requests at once meet in one stream and only one of
 * them starts it.
 */
function runIdOf(ruleId: string, ordinal: number): string {
  return computedId('rule run', ruleId, String(ordinal));
}

/**
 * The run that a request is based on, and which can be used once: the preview of a backfill, the run that a revert
 * undoes.
 */
export function baseRunOf({ previewRunId, revertsRunId }: Pick<Requested, 'previewRunId' | 'revertsRunId'>) {
  return revertsRunId ?? previewRunId;
}

type Admission =
  | {
      readonly accepted: true;
      readonly companyId: string | null;
      readonly wanted: Requested;
      /** What the request copies from. */
      readonly contentFrom: readonly StreamEvent[];
    }
  | ({ readonly accepted: false } & Refusal);

/**
 * Starts the rule's next run, unless the last one has not ended. The log alone decides which is next: its stream must
 * not exist yet. The run it is based on is marked as used afterwards, here and again by the worker before it does
 * anything. So it is marked before the new run can end: whoever sees the last run ended, and then reads the base, sees
 * the mark.
 */
async function startNext(
  context: CommandContext,
  ruleIdOf: () => Promise<string | null>,
  admit: () => Promise<Admission>,
): Done {
  const begun = context.repetition?.again ? await begunBefore(context, await ruleIdOf()) : null;
  if (begun !== null) return begun;
  let admission = await admit();
  while (admission.accepted) {
    const { ruleId } = admission.wanted;
    const last = await lastOrdinal(context.log, streamOfNth(context, ruleId));
    const lastRun = last === 0 ? null : await loadRun(context, runIdOf(ruleId, last));
    if (lastRun !== null && lastRun.state.ended === null) {
      return no({ refused: 'RUN_IN_PROGRESS', meta: { runId: runIdOf(ruleId, last) } });
    }
    admission = await admit();
    if (!admission.accepted) break;
    const ordinal = last + 1;
    const runId = runIdOf(ruleId, ordinal);
    const requested = { ...admission.wanted, runId, ordinal, requestedAt: isoTime(context.clock.now()) };
    const inCompany = { ...context, companyId: admission.companyId };
    const started = await onRun(inCompany, runId, (state) => requestRun(state, requested), admission.contentFrom);
    if (!started.accepted || started.position === null) continue;
    await markUsed(inCompany, requested);
    return started;
  }
  return admission;
}

function streamOfNth({ tenantId }: CommandContext, ruleId: string): (ordinal: number) => string {
  return (ordinal) => streamName('ruleRun', tenantId, runIdOf(ruleId, ordinal));
}

/** The run that this request started when it was first received. */
async function begunBefore(context: CommandContext, ruleId: string | null): Promise<LongOutcome<RuleRunState> | null> {
  if (ruleId === null) return null;
  const streamOf = streamOfNth(context, ruleId);
  const begun = await ordinalBegunBefore(context, streamOf, await lastOrdinal(context.log, streamOf));
  return begun === null ? null : onRun(context, runIdOf(ruleId, begun.ordinal), () => []);
}

/** Marks the run that it is based on as used by it. */
export async function markUsed(context: CommandContext, requested: Requested): Promise<void> {
  const base = baseRunOf(requested);
  if (base === null) return;
  const usedAt = isoTime(context.clock.now());
  await onRun(context, base, (state) => useRun(state, { byRunId: requested.runId, usedAt }));
}

export function cancelRun(context: CommandContext, runId: string): Done {
  return onRun(context, runId, (state) => decideCancelRun(state, isoTime(context.clock.now())));
}
