import type { CommandContext } from '../../../commands/command.ts';
import type { RecordedEvent } from '../../../events/event.ts';
import { type ConnectionDocument, connections } from '../../../projections/connections.ts';
import type { BankDescription } from '../../../providers/bank-provider.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import type { Reader } from '../../../queries/reader.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';

/** @throws ApiError CONNECTION_NOT_FOUND */
export async function connectionOf(reader: Reader, id: string): Promise<ConnectionDocument> {
  const connection = await reader.get(connections, id);
  if (connection === undefined) throw new ApiError('CONNECTION_NOT_FOUND');
  return connection;
}

/** The connection after events of its own stream or of its syncs, on top of what the read model knows of the others. */
export async function connectionAfter(
  call: { reader: Reader; context: CommandContext },
  id: string,
  events: readonly RecordedEvent[],
): Promise<ConnectionDocument> {
  return documentAfter(connections, events, await call.reader.get(connections, id));
}

/** @throws ApiError BANK_NOT_SUPPORTED when the bank has left the catalogue */
export function bankOf(services: HttpServices, bankCode: string): BankDescription {
  const bank = services.providers.get(bankCode)?.description;
  if (bank === undefined) throw new ApiError('BANK_NOT_SUPPORTED');
  return bank;
}
