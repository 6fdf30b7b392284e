import { ROLES } from '../../../events/tenancy.ts';
import { isTimeZone } from '../../../shared/time-zone.ts';
import { z } from '../../core/zod.ts';

const secretText = (minimum: number) => z.string().min(minimum).max(200).openapi({ format: 'password' });

/** Of a new password; one that is presented may be any text. */
export const newPasswordText = secretText(12);
export const passwordText = secretText(1);

/** Any text, so that an invalid address fails like an unknown one. */
export const loginEmail = z.string().min(1).max(254);
/** Any text, so that an unknown tenant fails like a wrong password. */
export const loginTenant = z.string().min(1).max(255);

export const email = z.string().trim().max(254).pipe(z.email()).openapi({ format: 'email' });
export const role = z.enum(ROLES);
export const displayName = z.string().trim().min(1).max(120);

export const refreshToken = z.string().min(1).max(1024);

function canonicalLocale(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

export const locale = z
  .string()
  .min(2)
  .max(35)
  .transform((text, context) => {
    const canonical = canonicalLocale(text);
    if (canonical !== null) return canonical;
    context.addIssue({ code: 'custom', message: 'must be a language tag (BCP 47)' });
    return z.NEVER;
  })
  .openapi({ description: 'BCP 47.', example: 'tr-TR' });

export const timezone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z]/)
  .refine(isTimeZone, 'must be a time zone (IANA)')
  .openapi({ description: 'IANA.', example: 'Europe/Istanbul' });
