import type { Caller } from '../../../identity/caller.ts';
import { ApiError } from '../../core/errors.ts';

/**
 * Seals and exports are over all companies of a tenant: who may see only some of them may not see those. @throws
 * ApiError PERMISSION_DENIED
 */
export function refusePartOfTenant(caller: Caller): void {
  if (caller.companies !== null) throw new ApiError('PERMISSION_DENIED', { required: 'all companies' });
}
