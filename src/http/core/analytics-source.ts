import type { Source } from '../../analytics/source.ts';
import { openReader, type Reader } from '../../queries/reader.ts';
import type { HttpServices } from './http-services.ts';

/** Each part is read in an iteration of the event loop of its own, when it is the turn of the caller's tenant. */
export function sourceAt({ log, readModels, costlyRequests }: HttpServices, reader: Reader, position: string): Source {
  const { tenantId } = reader;
  const tenant = openReader(readModels, tenantId, null);
  return { log, reader, tenant, position, pace: (read) => costlyRequests.pace(tenantId, read) };
}
