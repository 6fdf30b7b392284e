import { ApiError, validationFailed } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { isLogPosition, logPosition, moment } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';

/** A moment or a position of the log. */
export const momentOrPosition = z.union([logPosition, moment]).openapi({
  type: 'string',
  description: 'A moment, or a log position as returned in answers.',
  example: '2026-01-31T12:00:00Z',
});

/** @throws ApiError DATE_RANGE_INVALID for a moment in the future */
export function positionOf(services: HttpServices, tenantId: string, given: string): Promise<string> {
  return isLogPosition(given) ? Promise.resolve(given) : positionOfMoment(services, tenantId, given);
}

/** Of `at` and `position`, exactly one. @throws ApiError VALIDATION_FAILED */
export function oneOf(at: string | undefined, position: string | undefined): string {
  const given = at ?? position;
  if (given === undefined || (at !== undefined && position !== undefined)) {
    throw validationFailed([{ path: 'at', code: 'required', message: 'exactly one of at and position is required' }]);
  }
  return given;
}

export function refuseUpsideDown(from: string, to: string): void {
  if (from > to) throw new ApiError('DATE_RANGE_INVALID');
}
