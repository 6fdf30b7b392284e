import type { Caller } from '../../../identity/caller.ts';
import { ApiError } from '../../core/errors.ts';

/**
 * Seals and exports cover all companies of a tenant: a caller limited to some companies may not see them. @throws
 * ApiError PERMISSION_DENIED
 */
export function refusePartOfTenant(caller: Caller): void {
  if (caller.companies !== null) throw new ApiError('PERMISSION_DENIED', { required: 'all companies' });
}
