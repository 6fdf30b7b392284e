import type { OpenArrivals } from '../../commands/record-evaluated.ts';
import { evaluateByRules, type RuleBook } from '../../queries/rule-book.ts';
import { type ReactorServices, workerContext } from '../reactor-services.ts';

/** What evaluating rows where they come in needs besides the services of reactors. */
export type RulesHere = {
  readonly ruleBook: RuleBook;
  /**
   * The position up to which the read model of rule versions contains every event; undefined where this process does
   * not fold it.
   */
  readonly knownTo: () => string | undefined;
};

/** Pages at most that are recorded without an evaluation after one that was evaluated in vain. */
const MOST_PASSED_OVER = 32;

/**
 * Evaluates the rows of a company's sync as automation would, as long as the rules are at hand. After an evaluation in
 * vain, because a rule had changed meanwhile, it passes over the next page, after another one the next two, then four:
 * a tenant that changes rules all the time pays for few evaluations that are not used.
 */
export function openArrivalsOf(
  services: ReactorServices,
  { ruleBook, knownTo }: RulesHere,
  sync: { readonly tenantId: string; readonly companyId: string; readonly syncId: string },
): OpenArrivals {
  const { tenantId, companyId, syncId } = sync;
  const context = workerContext(services, 'automation', { tenantId, companyId, correlationId: syncId });
  let passOver = 0;
  let passOverNext = 1;
  return async () => {
    if (passOver > 0) {
      passOver -= 1;
      return null;
    }
    // Before the rules are read: those that are read contain at least these changes.
    const rulesKnownTo = knownTo();
    if (rulesKnownTo === undefined) return null;
    try {
      const rules = await ruleBook.open(tenantId, companyId);
      return {
        context,
        rulesKnownTo,
        evaluate: (recorded) => {
          const balance = recorded.balanceStated ? recorded.balance : null;
          return evaluateByRules(rules, { ...recorded, balance, recordedPosition: rulesKnownTo });
        },
        settle(isTaken) {
          passOver = isTaken ? 0 : passOverNext;
          passOverNext = isTaken ? 1 : Math.min(MOST_PASSED_OVER, passOverNext * 2);
        },
      };
    } catch (err) {
      services.logger.warn({ err, sync: syncId }, 'rows are recorded without an evaluation at first');
      return null;
    }
  };
}
