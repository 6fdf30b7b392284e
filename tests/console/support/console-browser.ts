import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Credentials } from '../../support/signed-in.ts';
import type { ConsoleService } from './console-service.ts';

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  });
}

const HEIGHTS = { 360: 640, 390: 844, 1440: 900, 3840: 2160 } as const;

export type View = {
  readonly width?: keyof typeof HEIGHTS;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'tr';
};

export const VIEWS: readonly Required<View>[] = [
  { width: 1440, theme: 'light', language: 'en' },
  { width: 1440, theme: 'dark', language: 'tr' },
  { width: 390, theme: 'dark', language: 'en' },
  { width: 390, theme: 'light', language: 'tr' },
];

export type ConsolePage = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of scripts, what the Content-Security-Policy refused, and requests to other hosts. */
  readonly faults: string[];
  readonly close: () => Promise<void>;
};

type Open = View & {
  /** Who is signed in; without, nobody is. */
  readonly as?: Credentials;
  /** Below `root`. */
  readonly path?: string;
  /** `/console` unless given. */
  readonly root?: '/console' | '/docs';
  /** Fingers instead of a mouse. */
  readonly touch?: boolean;
};

/** What is not there by then does not come. */
const WITHIN_MS = 60_000;

/** A page of the console in a browser of its own, with what goes wrong in it written down. */
export async function openConsole(
  browser: Browser,
  { url }: Pick<ConsoleService, 'url'>,
  { as, path = '/', root = '/console', width = 1440, theme = 'light', language = 'en', touch = false }: Open = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] },
    colorScheme: theme,
    locale: language === 'tr' ? 'tr-TR' : 'en-GB',
    timezoneId: 'Europe/Istanbul',
    reducedMotion: 'reduce',
    hasTouch: touch,
    isMobile: touch,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  if (as !== undefined) {
    const { email, password } = as;
    const opened = await context.request.post(`${url}/auth/session`, { data: { email, password } });
    if (!opened.ok()) throw new Error(await opened.text());
    const { result } = (await opened.json()) as { result: { accessToken: string } };
    await context.request.patch(`${url}/auth/me`, {
      data: { locale: language },
      headers: { authorization: `Bearer ${result.accessToken}` },
    });
  }
  context.setDefaultTimeout(WITHIN_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`);
  });
  await page.goto(`${url}${root}${path}`);
  return { page, context, faults, close: () => context.close() };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds in the page as it stands, of any severity; `[]` is what every page has to have. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) =>
        id + ': ' + help + ' ' + html.slice(0, 200) + ' ' + failureSummary)))`,
  );
}

/** The sum of what moved without a person's doing since the page was opened. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(
    `new Promise((resolve) => {
      let sum = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
        resolve(sum);
      }).observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => resolve(sum), 50);
    })`,
  );
}
