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

/** Evaluates the rows of a company's sync as automation would, as long as the rules are at hand. */
export function openArrivalsOf(
  services: ReactorServices,
  { ruleBook, knownTo }: RulesHere,
  sync: { readonly tenantId: string; readonly companyId: string; readonly syncId: string },
): OpenArrivals {
  const { tenantId, companyId, syncId } = sync;
  const context = workerContext(services, 'automation', { tenantId, companyId, correlationId: syncId });
  return async () => {
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
      };
    } catch (err) {
      services.logger.warn({ err, sync: syncId }, 'rows are recorded without an evaluation at first');
      return null;
    }
  };
}
