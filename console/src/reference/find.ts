import type { Entry, Group } from './document.ts';

/** The groups with what has every word somewhere: in its id, method, path, summary or group. */
export function found(groups: readonly Group[], text: string): readonly Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return groups;
  const isFound = (entry: Entry): boolean => {
    const { operationId, method, path, summary = '', group } = entry;
    const all = `${operationId} ${method} ${path} ${summary} ${group}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return groups
    .map((group) => ({ ...group, entries: group.entries.filter(isFound) }))
    .filter(({ entries }) => entries.length > 0);
}
