import type { ConditionSubject } from '../../src/deciders/conditions/condition.ts';
import { indexRules } from '../../src/deciders/conditions/index-rules.ts';
import { prepareSubject } from '../../src/deciders/conditions/subject.ts';
import { BENCH, bankPages } from '../fixtures/bank-rows.ts';
import { ruleConditions } from '../fixtures/rules.ts';
import { interleave, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const MANY = 1_000;
const FEW = 10;

export const rules: Row = {
  name: 'rules',
  title: `which of ${MANY} rules match, for each of the same transactions`,
  baseline: `the first ${FEW} of them`,
  aim: { kind: 'cost', atMost: 3 },
  async measure({ quick, rounds }) {
    const count = quick ? 1_000 : 50_000;
    const rows = (await bankPages('rules', count)).flatMap((page) => page.rows);
    const subjects = rows.map((row): ConditionSubject => ({ ...row, bankCode: 'demo', accountId: BENCH.accountId }));
    const indexed = ruleConditions(rows, MANY).map((conditions, nth) => ({ id: `rule-${nth}`, conditions }));
    const [many, few] = [indexRules(indexed), indexRules(indexed.slice(0, FEW))];
    const matches = { many: 0, few: 0 };
    const matchAll = (index: typeof many): number =>
      subjects.reduce((sum, subject) => sum + index.matching(prepareSubject(subject)).length, 0);
    const times = await interleave(rounds, {
      many: side({
        run: () => {
          matches.many = matchAll(many);
        },
      }),
      few: side({
        run: () => {
          matches.few = matchAll(few);
        },
      }),
    });
    return {
      values: ratios(times.many, times.few),
      details: [
        `${rate(count, times.many)} transactions with ${MANY} rules (${(matches.many / count).toFixed(2)} matches each), ${rate(count, times.few)} with ${FEW} (${(matches.few / count).toFixed(2)} each)`,
      ],
    };
  },
};
