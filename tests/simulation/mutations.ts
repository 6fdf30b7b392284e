import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Known faults, to show that the simulation can fail. Each is a change of a source text as it is loaded, so that no
 * switch for it stands in the service.
 */
export type Mutation = {
  readonly name: string;
  /** A seed that finds it, tried before the others. When the simulation changes, it may be another one. */
  readonly foundBy: number;
  readonly changes: readonly {
    /** From the root of the repository. */
    readonly file: string;
    /** Occurs exactly once in the file. */
    readonly from: string;
    readonly to: string;
  }[];
};

const ROOT = join(import.meta.dirname, '../..');
const LOG = 'tests/simulation/simulated-log.ts';
const STORE = 'tests/simulation/simulated-read-store.ts';

export const mutations: readonly Mutation[] = [
  {
    name: 'a backfill that is cancelled loses the page it was working on',
    foundBy: 16,
    changes: [
      {
        file: 'src/reactors/runs/execute-run.ts',
        from: 'const broken = await brokenPage(job, pages, at());',
        to: 'const broken: RuleRunFact[] = [];',
      },
      {
        file: 'src/reactors/runs/execute-run.ts',
        from: 'while (!(await takePage(work, cursorId, facts, ending)));',
        to: 'await take(work, [...facts, ...ending]);',
      },
    ],
  },
  {
    name: 'a checkpoint is written before its documents',
    foundBy: 2,
    changes: [
      {
        file: STORE,
        from: 'if (documents.length > 0) await collection(into).putMany(documents);\n',
        to: '\n',
      },
      {
        file: STORE,
        from: "if (moved) return 'committed';",
        to: "if (documents.length > 0) await collection(into).putMany(documents);\nif (moved) return 'committed';",
      },
    ],
  },
  {
    name: 'any revision is as good as the expected one',
    foundBy: 1,
    changes: [
      {
        file: LOG,
        from: 'if (known.length - 1 !== expected) return repeated(disk, known, expected, events);',
        to: `const before = repeated(disk, known, expected, events);
  if (before.outcome === 'appended') return before;`,
      },
    ],
  },
  {
    name: 'a lease is not fenced: whoever had it writes over what came after',
    foundBy: 3,
    changes: [
      {
        file: STORE,
        from: 'if (known !== undefined && known._position >= document._position) return 0;',
        to: '',
      },
      {
        file: STORE,
        from: 'if ((stored?.position ?? null) !== expected || (stored?.fence ?? 0) > fence) return false;',
        to: '',
      },
    ],
  },
  {
    name: 'a repeated command appends under new event ids',
    foundBy: 9,
    changes: [
      {
        file: 'src/commands/command.ts',
        from: '(repetition === undefined ? undefined : repeatedIds(repetition, stream))',
        to: 'undefined',
      },
    ],
  },
  {
    name: 'the cursor of a sync moves before the rows of its page are recorded',
    foundBy: 6,
    changes: [
      {
        file: 'src/commands/record-sync-page.ts',
        from: 'const results = await context.log.appendMany(appends);',
        to: `context.log.appendMany(appends).catch(() => {});
  const results = appends.map(() => ({ outcome: 'appended' }));`,
      },
    ],
  },
  {
    name: 'a revert forgets a page of the run it reverts',
    foundBy: 55,
    changes: [
      {
        file: 'src/reactors/runs/run-results.ts',
        from: 'Number(cursorId) + 1',
        to: 'Number(cursorId) + 2',
      },
    ],
  },
  {
    name: 'a transaction is evaluated by the rules of today',
    foundBy: 261,
    changes: [
      {
        file: 'src/queries/rule-book.ts',
        from: 'const active = rulesActiveAt(histories, position);',
        to: "const active = rulesActiveAt(histories, '~');",
      },
    ],
  },
  {
    name: 'automation does not wait for the rules that were there before',
    foundBy: 293,
    changes: [
      {
        file: 'src/reactors/run-automation.ts',
        from: 'if (!(await waitFor([ruleVersions.name], newest, PROJECTED_WITHIN_MS))) return false;',
        to: 'void newest;',
      },
    ],
  },
  {
    name: 'a document takes an event that it contains already',
    foundBy: 9,
    changes: [
      {
        file: 'src/projections/engine/projection-fold.ts',
        from: 'if (document !== undefined && document._position >= event.position) return undefined;',
        to: '',
      },
    ],
  },
  {
    name: 'a request that is repeated after a crash makes new ids',
    foundBy: 9,
    changes: [
      {
        file: 'src/traffic/request-claims.ts',
        from: 'const taken = await write({ ...found, ...lease, answer: null }, found._position);',
        to: `const seed = randomBytes(32).toString('hex');
    const taken = await write({ ...found, ...lease, seed, answer: null }, found._position);`,
      },
    ],
  },
  {
    name: 'a sync that goes on after a crash counts equal rows from the beginning',
    foundBy: 11,
    changes: [
      {
        file: 'src/reactors/syncs/execute-sync.ts',
        from: 'counted ??= await countedBefore(execution, next);',
        to: 'counted ??= countedNothing();',
      },
    ],
  },
  {
    name: 'a first start gives up where another instance is at it',
    foundBy: 38,
    changes: [
      {
        file: 'src/identity/bootstrap.ts',
        from: 'await pause(LOOK_AGAIN_MS);',
        to: 'await pause(LOOK_AGAIN_MS);\n      if (owner !== null) return null;',
      },
    ],
  },
  {
    name: 'the same events are sealed again while the read model is behind',
    foundBy: 87,
    changes: [
      {
        file: 'src/audit/seal-tenant.ts',
        from: 'if ((await sealEvent(log, tenantId, (last?.ordinal ?? 0) + 1)) !== undefined) return null;',
        to: '',
      },
    ],
  },
  {
    name: 'a read model counts as written before it is',
    foundBy: 3,
    changes: [
      {
        file: 'src/projections/engine/projection-worker.ts',
        from: "return isWritten ? folded : (stored ?? '');",
        to: 'void isWritten;\n      return folded;',
      },
    ],
  },
];

/**
 * The texts of the files that a mutation changes, by path, as it leaves them.
 * @throws Error where a change does not fit its file any more
 */
export function mutatedTexts(mutation: Mutation): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file, from, to } of mutation.changes) {
    const path = join(ROOT, file);
    const text = texts.get(path) ?? readFileSync(path, 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} does not have this text once: ${from}`);
    texts.set(
      path,
      text.replace(from, () => to),
    );
  }
  return texts;
}

/**
 * Changes the modules that are loaded from now on in this process.
 * @throws Error for an unknown name, or where a change does not fit its file any more
 */
export function applyMutation(name: string): void {
  const mutation = mutations.find((one) => one.name === name);
  if (mutation === undefined) throw new Error(`no mutation is called ${name}`);
  const texts = mutatedTexts(mutation);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const text = url.startsWith('file:') ? texts.get(fileURLToPath(url)) : undefined;
      return text === undefined ? loaded : { ...loaded, source: text };
    },
  });
}
