/** A part of the service as `/health/ready` shows it. */
export type PartHealth = {
  readonly name: string;
  readonly state: string;
  readonly ok: boolean;
  readonly lagEvents?: number;
  /** `lagEvents` is an estimate; absent where it was counted. */
  readonly lagEstimated?: boolean;
  readonly lagMs?: number;
  readonly error?: string;
};
