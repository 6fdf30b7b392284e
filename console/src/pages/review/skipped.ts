import { useState } from 'preact/hooks';
import type { UnassignedGroup } from '../../../../sdk/src/index.ts';
import { person } from '../../session/session.ts';
import { keep, kept } from '../../session/storage.ts';

const KEY = 'skipped';
/** The oldest fall out first, so that what the browser keeps does not grow. */
const MOST = 500;

type Skipped = {
  readonly isSkipped: (group: UnassignedGroup) => boolean;
  readonly toggle: (group: UnassignedGroup) => void;
};

function read(): readonly string[] {
  try {
    return JSON.parse(kept(KEY, person.value?.id ?? null) ?? '[]') as string[];
  } catch {
    return [];
  }
}

/** Groups that somebody has set aside, in this browser. A group that grew comes back: there is something new in it. */
export function useSkipped(): Skipped {
  const [keys, setKeys] = useState(read);
  const keyOf = ({ by, companies, key, count }: UnassignedGroup): string => `${by} ${companies} ${key} ${count}`;
  return {
    isSkipped: (group) => keys.includes(keyOf(group)),
    toggle: (group) => {
      const key = keyOf(group);
      const next = (keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key]).slice(-MOST);
      setKeys(next);
      keep(KEY, person.value?.id ?? null, JSON.stringify(next));
    },
  };
}
