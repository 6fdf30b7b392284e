import type { CommandContext } from '../commands/command.ts';
import type { Actor } from '../events/event.ts';

/** The context of a command that no request makes: of the tenant as a whole, under a correlation of its own. */
export function ownContext(
  { log, clock, newId }: Pick<CommandContext, 'log' | 'clock' | 'newId'>,
  tenantId: string,
  actor: Actor,
): CommandContext {
  return { log, clock, newId, tenantId, companyId: null, actor, correlationId: newId() };
}
