import { setTimeout as pause } from 'node:timers/promises';
import { findApiKey } from '../queries/find-api-key.ts';
import type { ReadModels } from '../queries/read-models.ts';
import { ReadStoreUnavailable } from '../readstore/read-store.ts';
import type { BootstrapResult } from './bootstrap.ts';
import type { IsCompany } from './known-companies.ts';

const LOOK_AGAIN_MS = 20;

/**
 * True once requests with the first key find its tenant, and every read model answers; false when the time is over or
 * the signal aborts first. It queries the read models themselves and not their positions: a first start is the proof
 * that they follow the log (ADR 0022).
 */
export async function becomesVisible(
  { tenantId, companyId, apiKey }: Pick<BootstrapResult, 'tenantId' | 'companyId' | 'apiKey'>,
  options: {
    readonly readModels: ReadModels;
    readonly isCompany: IsCompany;
    /** Those of the read models that never were whole. */
    readonly partial: () => Promise<readonly string[]>;
    readonly withinMs: number;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { readModels, isCompany, partial, withinMs, signal } = options;
  const isVisible = async (): Promise<boolean> => {
    try {
      if ((await findApiKey(readModels, apiKey.key)) === null || !(await isCompany(tenantId, companyId))) return false;
      return (await partial()).length === 0;
    } catch (error) {
      if (error instanceof ReadStoreUnavailable) return false;
      throw error;
    }
  };
  const endsAt = performance.now() + withinMs;
  while (!(await isVisible())) {
    if (signal.aborted || performance.now() >= endsAt) return false;
    await pause(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
  return true;
}
