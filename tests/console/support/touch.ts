import type { CDPSession, Page } from 'playwright-core';

export type Point = readonly [x: number, y: number];

/** A finger of Chromium's touch emulation: the browser decides as for a real one whether it scrolls. */
export type Finger = {
  readonly down: (at: Point) => Promise<void>;
  /** In steps, as a finger moves. */
  readonly move: (to: Point) => Promise<void>;
  readonly up: () => Promise<void>;
};

const STEPS = 8;

export async function finger(page: Page): Promise<Finger> {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  let [x, y]: Point = [0, 0];
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd') =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  return {
    async down(at) {
      [x, y] = at;
      await send('touchStart');
    },
    async move([toX, toY]) {
      const [fromX, fromY] = [x, y];
      for (let step = 1; step <= STEPS; step += 1) {
        [x, y] = [fromX + ((toX - fromX) * step) / STEPS, fromY + ((toY - fromY) * step) / STEPS];
        await send('touchMove');
      }
    },
    async up() {
      await send('touchEnd');
    },
  };
}

const RESTING_FRAMES = 12;

/** Until the element has kept its place for so many frames: what was flung glides on, and what loads may push it. */
export async function rests(page: Page, selector: string): Promise<void> {
  await page.evaluate(
    `new Promise((resolve) => {
      let place, frames = 0;
      const look = () => {
        const { x, y, height } = document.querySelector('${selector}')?.getBoundingClientRect() ?? {};
        const now = [x, y, height].join();
        frames = now === place ? frames + 1 : 0;
        place = now;
        if (y !== undefined && frames >= ${RESTING_FRAMES}) resolve();
        else requestAnimationFrame(look);
      };
      look();
    })`,
  );
}
