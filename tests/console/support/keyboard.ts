import type { Locator, Page } from 'playwright-core';

const MOST_STOPS = 80;

/** Presses Tab until the element has the focus, as somebody without a mouse does; fails where it is never reached. */
export async function tabTo(page: Page, element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    if (await element.evaluate((node) => node === node.ownerDocument.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`the keyboard does not reach ${element}`);
}
