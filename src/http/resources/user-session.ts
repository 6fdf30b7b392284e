import type { ShownSession } from '../../queries/sessions.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

export const userSessionSchema = z
  .strictObject({
    id: z.string(),
    userId: z.string(),
    current: z.boolean().openapi({ description: 'Whether this request was made with a token of this session.' }),
    userAgent: z
      .string()
      .nullable()
      .openapi({ description: 'How the client named itself at the sign-in, at most 200 characters.' }),
    beganAt: instant,
    refreshedAt: instant.openapi({
      description:
        'When its refresh token was last exchanged; at first, when it began. In use, at least each 15 minutes.',
    }),
    expiresAt: instant.openapi({ description: 'When it ends if its refresh token is not exchanged before.' }),
    endedAt: instant.nullable(),
    endedReason: z
      .enum(['logout', 'token-reused', 'expired', 'password-replaced', 'user-disabled'])
      .nullable()
      .openapi({ description: 'Null while it is open.' }),
    endedBy: z.string().nullable().openapi({ description: 'Who ended it; null where nobody did.' }),
  })
  .openapi('UserSession');

/** @param currentId of the session that the request belongs to; null for a token of an outside issuer */
export function userSessionResource(
  { session, ended }: ShownSession,
  currentId: string | null,
): z.input<typeof userSessionSchema> {
  const { id, userId, userAgent, beganAt, refreshedAt, expiresAt } = session;
  return {
    id,
    userId,
    current: id === currentId,
    userAgent,
    beganAt,
    refreshedAt,
    expiresAt,
    endedAt: ended?.at ?? null,
    endedReason: ended?.reason ?? null,
    endedBy: ended?.by ?? null,
  };
}
