import type { Progress } from '../projections/engine/progress.ts';

/** Without these no request of the first tenant is accepted. */
const NEEDED = ['companies', 'api-keys'];

export type Preparation = {
  /** Records what the start has made: the position of the first tenant, or null in every later start. */
  readonly made: (position: string | null) => void;
  /** Whether requests are accepted that the printed key signs. */
  readonly isPrepared: () => Promise<boolean>;
};

/** The port is taken before the first tenant is made, so that an instance could seem ready and refuse its own key. */
export function watchPreparation({ positionOf }: Pick<Progress, 'positionOf'>): Preparation {
  let needed: string | null | undefined;
  return {
    made(position) {
      needed = position;
    },
    async isPrepared() {
      if (needed === undefined || needed === null) return needed === null;
      const reached = await Promise.all(NEEDED.map((name) => positionOf(name)));
      const first = needed;
      if (first !== null && reached.every((position) => position >= first)) needed = null;
      return needed === null;
    },
  };
}
