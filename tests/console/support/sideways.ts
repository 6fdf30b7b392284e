import type { Page } from 'playwright-core';

/**
 * What is wider than the screen, or than the dialog, drawer or popover it is in: what scrolls sideways, and what can be
 * pressed or typed into but reaches over the edge. `[]` is what every page has to have.
 */
export function sideways(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const name = (element) => element.tagName.toLowerCase() + '.' + element.className + ' ' +
      (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 40);
    const boxes = [document.documentElement, ...document.querySelectorAll('.page, .dialog, .drawer, .popover')];
    const scrolling = boxes.filter((box) => box.scrollWidth > box.clientWidth + 1).map(
      (box) => name(box) + ' scrolls: ' + box.scrollWidth + ' in ' + box.clientWidth);
    const over = [...document.querySelectorAll('button, a, input, select, textarea, summary')].filter((element) => {
      if (!element.checkVisibility() || element.closest('.side, .skip, .hidden, .simple-table, .table, [role=tablist]') !== null) return false;
      const { left, right, width } = element.getBoundingClientRect();
      return width > 1 && (right > innerWidth + 1 || left < -1);
    }).map((element) => name(element) + ' reaches over the edge');
    return [...scrolling, ...over];
  })()`);
}

/** What can be pressed and is smaller than 24 px either way, apart from links within text (WCAG 2.2, 2.5.8). */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const isInText = (element) => getComputedStyle(element).display.startsWith('inline') && element.tagName === 'A' &&
      element.parentElement.textContent.trim() !== element.textContent.trim();
    return [...document.querySelectorAll('button, a, input, select, summary')].flatMap((element) => {
      if (!element.checkVisibility() || isInText(element) || element.closest('.skip, .hidden') !== null) return [];
      const target = element.matches('input[type=checkbox], input[type=radio]') ? (element.closest('label') ?? element) : element;
      const { width, height } = target.getBoundingClientRect();
      if (width < 2 || (width >= 23.5 && height >= 23.5)) return [];
      return [element.outerHTML.slice(0, 120) + ' ' + Math.round(width) + ' x ' + Math.round(height)];
    });
  })()`);
}
