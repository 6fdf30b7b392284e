import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leafOf } from '../../src/audit/leaf.ts';
import { auditPath } from '../../src/audit/merkle.ts';
import { makeSeal, openSealingKey, type SealingKey } from '../../src/audit/seal.ts';
import { axeFindings, layoutShift, openConsole, startBrowser, VIEWS } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';
import { tabTo } from './support/keyboard.ts';

type Event = { readonly eventId: string; readonly correlationId: string };

let service: ConsoleService;
let browser: Browser;
let ruleId: string;
let created: Event;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsole(), startBrowser()]);
  const rules = await service.api.call<{ items: { id: string }[] }>('GET', '/banks/transaction-rules');
  ruleId = rules.body.result.items[0]?.id ?? '';
  await service.api.call('PATCH', `/banks/transaction-rules/${ruleId}`, { version: 1, description: 'Changed once' });
  const life = await service.api.call<{ items: Event[] }>('GET', `/banks/audit/history/rule/${ruleId}`, undefined, {
    'x-min-log-position': await service.api.service.log.head(),
  });
  const [first] = life.body.result.items;
  if (first === undefined) throw new Error('the rule has no history');
  created = first;
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const open = (options: Parameters<typeof openConsole>[2]) =>
  openConsole(browser, service, { as: service.people.auditor, ...options });

describe('the audit', () => {
  it.each(VIEWS)('has no fault at $width px, $theme, in $language, in any of its views', async (view) => {
    const { page, faults, close } = await open({ ...view, path: '/audit' });
    await page.getByRole('row').nth(2).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    for (const path of [
      `audit/entity/rule/${ruleId}`,
      `audit/request/${created.correlationId}`,
      'audit?tab=integrity',
      'audit?tab=compare',
      'audit?tab=proof',
      'audit?tab=replays',
    ]) {
      await page.goto(`${service.url}/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await axeFindings(page), path).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true);
    }
    expect(faults).toEqual([]);
    await close();
  });

  it('opens an event by keyboard to its facts, and leads to all that its request caused', async () => {
    const { page, faults, close } = await open({ path: `/audit?entityType=rule&entityId=${ruleId}` });
    await page.getByRole('row').nth(1).waitFor();
    await tabTo(page, page.getByRole('grid'));
    await page.keyboard.press('Enter');
    const drawer = page.locator('.drawer');
    await drawer.getByText('Changed once', { exact: true }).waitFor();
    await drawer.getByRole('link', { name: 'All that the request caused' }).click();
    await page.getByText('It caused 1 event.').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('shows an entity as it stood after each of its events', async () => {
    const { page, faults, close } = await open({ path: `/audit/entity/rule/${ruleId}` });
    const description = page.getByRole('region', { name: 'As it stood' }).getByRole('row', { name: /^description/ });
    await description.filter({ hasText: 'Changed once' }).waitFor();
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await description.filter({ hasNotText: 'Changed once' }).waitFor();
    expect(await slider.getAttribute('aria-valuetext')).toBe('State after event 1 of 2');
    await page.getByRole('button', { name: 'Show every list as of this moment' }).click();
    await page.getByText('You are looking at').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('checks a proof in the browser against a kept key, and names the step that fails', async () => {
    const { page, close } = await open({ path: `/audit?tab=proof&event=${created.eventId}` });
    const key = openSealingKey(Buffer.alloc(32, 7));
    const proof = proofOf(key);
    const changed = { ...proof, event: { ...proof.event, data: { amount: '1000.00' } } };
    const other = openSealingKey(Buffer.alloc(32, 8)).publicKey;
    for (const [answered, kept, verdict] of [
      [proof, key.publicKey, 'Proved: the event is in the history'],
      [proof, '', 'The proof is consistent.'],
      [proof, other, 'Not proved.'],
      [changed, key.publicKey, 'Not proved.'],
    ] as const) {
      await page.unrouteAll();
      await page.route('**/banks/audit/proof*', (route) => route.fulfill({ json: { status: true, result: answered } }));
      await page.getByLabel('Public key that you kept').fill(kept);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByText(verdict).waitFor();
    }
    expect(await page.locator('.proof-steps .bad').first().innerText()).toContain('fingerprint that the proof names');
    await close();
  });

  it('says why there is no proof of an event that no seal covers yet', async () => {
    const { page, close } = await open({ path: '/audit?tab=proof&event=never-recorded' });
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('There is no proof.').waitFor();
    await page.getByText('ENTITY_NOT_FOUND').waitFor();
    await close();
  });
});

/** Of the third of five events, sealed by the key as the service seals them. */
function proofOf(key: SealingKey) {
  const events = Array.from({ length: 5 }, (_, nth) => ({
    id: `event-${nth}`,
    type: 'TransactionRecorded',
    stream: 'bankTransaction-1',
    revision: nth,
    recordedAt: '2026-01-01T00:00:00.000Z',
    metadata: { tenantId: 'one' },
    data: { amount: `${nth}.10`, description: 'VERGİ TAHSİLATI' },
  }));
  const leaves = events.map(leafOf);
  const sealed = {
    eventCount: leaves.length,
    leaves: () => leaves,
    toPosition: '0000000000000005',
    sealedAt: '2026-01-01T00:00:00.000Z',
  };
  return {
    event: events[2],
    position: '0000000000000003',
    leafHash: leaves[2]?.toString('hex'),
    leafIndex: 2,
    treeSize: leaves.length,
    auditPath: auditPath(leaves, 2).map((node) => node.toString('hex')),
    seal: makeSeal(key, null, sealed),
  };
}
