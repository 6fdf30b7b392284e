import { type ConnectorLogDocument, type LoggedMessage, OPERATIONS, OUTCOMES } from '../../providers/connector-logs.ts';
import { orNull } from '../core/schema-forms.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

const bodySchema = z
  .strictObject({
    size: z.int().min(0).openapi({ description: 'Size of the original in bytes.' }),
    sha256: z.string().openapi({ description: 'SHA-256 of the original, in hexadecimal.' }),
    truncated: z.boolean().openapi({ description: 'True if the original is longer than the 32 KiB that are kept.' }),
    text: z
      .string()
      .nullable()
      .optional()
      .openapi({ description: 'Masked; null for a body that is not text. Omitted in lists.' }),
  })
  .openapi('ExchangedBody');

const messageSchema = z
  .strictObject({ headers: z.record(z.string(), z.string()), body: orNull(bodySchema) })
  .openapi('ExchangedMessage');

export const connectorLogSchema = z
  .strictObject({
    id: z.string(),
    companies: z.string(),
    accountId: z.string(),
    bankCode: z.string(),
    environment: z.enum(['demo', 'production']),
    syncId: z.string().nullable(),
    setupId: z.string().nullable(),
    operation: z.enum(OPERATIONS),
    page: z.int().nullable(),
    attempt: z.int().min(1),
    outcome: z.enum(OUTCOMES),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    at: instant,
    durationMs: z.int().min(0),
    method: z.string().nullable(),
    url: z.string().nullable(),
    status: z.int().nullable(),
    request: orNull(messageSchema),
    response: orNull(messageSchema),
    correlationId: z.string(),
    expiresAt: instant,
  })
  .openapi('ConnectorLog', { description: 'A request to a bank and its answer, masked before storage.' });

/** @param withTexts whether the texts of the bodies are included */
export function connectorLogResource(
  record: ConnectorLogDocument,
  withTexts: boolean,
): z.input<typeof connectorLogSchema> {
  const { id, companyId, accountId, bankCode, environment, syncId, setupId, operation, page, attempt } = record;
  const { outcome, error, at, durationMs, method, url, status, correlationId, expiresAt } = record;
  const message = (one: LoggedMessage | null) => {
    if (one === null || one.body === null || withTexts) return one;
    const { text, ...body } = one.body;
    return { headers: one.headers, body };
  };
  return {
    id,
    companies: companyId,
    accountId,
    bankCode,
    environment,
    syncId,
    setupId,
    operation,
    page,
    attempt,
    outcome,
    error,
    at,
    durationMs,
    method,
    url,
    status,
    request: message(record.request),
    response: message(record.response),
    correlationId,
    expiresAt,
  };
}
