/** Waiting items by owner, served in turn, so that no owner waits for all items of another. */
export type QueueInTurn<Item> = {
  readonly size: number;
  readonly add: (owner: string, item: Item) => void;
  /** Takes the next one that can be taken; null for none. */
  readonly next: (canBeTaken: (item: Item) => boolean) => Item | null;
  /** False for an item that is not waiting. */
  readonly remove: (item: Item) => boolean;
};

export function openQueueInTurn<Item>(): QueueInTurn<Item> {
  /** The owner whose turn is next comes first. */
  const owners = new Map<string, Item[]>();

  function without(owner: string, items: Item[], item: Item): void {
    items.splice(items.indexOf(item), 1);
    owners.delete(owner);
    if (items.length > 0) owners.set(owner, items);
  }

  return {
    get size() {
      return owners.values().reduce((sum, items) => sum + items.length, 0);
    },
    add(owner, item) {
      const items = owners.get(owner);
      if (items === undefined) owners.set(owner, [item]);
      else items.push(item);
    },
    next(canBeTaken) {
      for (const [owner, items] of owners) {
        const item = items.find(canBeTaken);
        if (item === undefined) continue;
        without(owner, items, item);
        return item;
      }
      return null;
    },
    remove(item) {
      for (const [owner, items] of owners) {
        if (!items.includes(item)) continue;
        without(owner, items, item);
        return true;
      }
      return false;
    },
  };
}
