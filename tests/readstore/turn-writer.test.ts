import { describe, expect, it } from 'vitest';
import type { ThreadedWriter } from '../../src/readstore/embedded/threaded-writer.ts';
import { TurnWriter } from '../../src/readstore/embedded/turn-writer.ts';
import type { WriteCommands, WriteKind } from '../../src/readstore/embedded/write-command.ts';
import type { WriteQueue } from '../../src/readstore/embedded/write-queue.ts';
import { openThreadTurn, TURN_WORDS } from '../../src/shared/thread-turn.ts';

const iteration = (): Promise<void> => new Promise((done) => setImmediate(done));

type Command = { readonly where: 'here' | 'there'; readonly name: string; readonly held: boolean };

/** A writer of which the test answers what it sends to the thread, and the turn of another thread. */
function world() {
  const words = new Int32Array(new SharedArrayBuffer(TURN_WORDS * 4));
  const [own, other] = [openThreadTurn(words, 0), openThreadTurn(words, 0)];
  const commands: Command[] = [];
  const unanswered: (() => void)[] = [];
  let queued: (() => void)[] = [];
  const nameOf = (of: WriteCommands['deleteCheckpoint']['of'] | object): string => ('name' in of ? `${of.name}` : '');
  const isHeld = (): boolean => {
    if (!other.tryEnter()) return true;
    other.leave();
    return false;
  };
  const here = {
    write: (_kind: WriteKind, of: object) =>
      new Promise((resolve) => {
        queued.push(() => {
          commands.push({ where: 'here', name: nameOf(of), held: isHeld() });
          resolve(undefined);
        });
      }),
    drain: () => {
      for (const run of queued) run();
      queued = [];
    },
    close: async () => {},
  };
  const there = {
    write: (_kind: WriteKind, of: object) =>
      new Promise((resolve) => {
        commands.push({ where: 'there', name: nameOf(of), held: isHeld() });
        unanswered.push(() => resolve(undefined));
      }),
    close: async () => {},
  };
  const writer = new TurnWriter(here as unknown as WriteQueue, there as unknown as ThreadedWriter, own);
  return {
    writer,
    other,
    commands,
    names: () => commands.map(({ name }) => name),
    small: (name: string) => writer.write('deleteCheckpoint', { name }),
    /** Weighs a commit. */
    large: (name: string) => writer.write('buildIndexes', { name, indexes: [] }),
    /** Two of these weigh more than a commit. */
    half: (name: string) => writer.write('delete', { name, ids: Array.from({ length: 600 }, () => '') } as never),
    async answerNext() {
      unanswered.shift()?.();
      await iteration();
      await iteration();
    },
  };
}

describe('a writer that takes turns with another thread', () => {
  it('writes nothing before it is its turn, and gives the turn back', async () => {
    const { other, commands, small } = world();
    await other.enter();
    const written = small('a');
    for (let nth = 0; nth < 5; nth += 1) await iteration();
    expect(commands).toEqual([]);
    other.leave();
    await written;
    expect(commands).toEqual([{ where: 'here', name: 'a', held: true }]);
    expect(other.tryEnter()).toBe(true);
  });

  it('keeps commands in the order in which they came, the small ones behind a large one too', async () => {
    const { commands, names, small, large, answerNext } = world();
    const all = [small('a'), large('b'), small('c')];
    await iteration();
    await iteration();
    void all.push(small('d'));
    for (let nth = 0; nth < 6; nth += 1) await answerNext();
    await Promise.all(all);
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    expect(commands.every(({ held }) => held)).toBe(true);
  });

  it('gives the turn up after one commit when another thread waits, and goes on afterwards', async () => {
    const { other, names, large, answerNext } = world();
    const all = [large('a'), large('b'), large('c')];
    await iteration();
    expect(names()).toEqual(['a']);
    const entered = other.enter();
    await answerNext();
    await entered;
    expect(names()).toEqual(['a']);
    other.leave();
    for (let nth = 0; nth < 6; nth += 1) await answerNext();
    await Promise.all(all);
    expect(names()).toEqual(['a', 'b', 'c']);
    expect(other.tryEnter()).toBe(true);
  });

  it('sends the next commit before the answer to the last one, but not while another thread waits', async () => {
    for (const isAwaited of [false, true]) {
      const { other, names, half, answerNext } = world();
      await other.enter();
      const all = [half('a'), half('b')];
      await iteration();
      const entered = isAwaited ? other.enter() : undefined;
      other.leave();
      await iteration();
      expect(names()).toEqual(isAwaited ? ['a'] : ['a', 'b']);
      await answerNext();
      await entered;
      if (isAwaited) other.leave();
      for (let nth = 0; nth < 4; nth += 1) await answerNext();
      await Promise.all(all);
      expect(names()).toEqual(['a', 'b']);
    }
  });

  it('closes once everything is written, and refuses what comes later', async () => {
    const { writer, names, small } = world();
    const written = small('a');
    await writer.close();
    await written;
    expect(names()).toEqual(['a']);
    await expect(small('b')).rejects.toThrow(/closed/);
  });
});
