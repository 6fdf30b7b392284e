import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/reference/openapi.ts';
import { openApiShape } from '../support/openapi-shape.ts';

const PINNED = new URL('../fixtures/openapi/shape.json', import.meta.url);
/** SHA-256 of the changelog for which the shape was pinned. */
const PINNED_CHANGELOG = new URL('../fixtures/openapi/changelog.sha256', import.meta.url);
const CHANGELOG = new URL('../../CHANGELOG.md', import.meta.url);

/** @throws Error when the shape has changed since it was pinned and the changelog has not */
function pin(shape: unknown): void {
  const text = `${JSON.stringify(shape, null, 1)}\n`;
  const changelog = createHash('sha256').update(readFileSync(CHANGELOG)).digest('hex');
  if (text === readFileSync(PINNED, 'utf8')) return;
  if (changelog === readFileSync(PINNED_CHANGELOG, 'utf8').trim()) {
    throw new Error('The API has changed: say so in CHANGELOG.md, then pin its shape.');
  }
  writeFileSync(PINNED, text);
  writeFileSync(PINNED_CHANGELOG, `${changelog}\n`);
}

describe('the OpenAPI document', () => {
  it('has the pinned shape, texts aside: after an intended change and its changelog line run with PIN=openapi', () => {
    const shape = openApiShape(JSON.parse(JSON.stringify(openApiDocument())));
    if (process.env.PIN === 'openapi') pin(shape);
    expect(shape).toEqual(JSON.parse(readFileSync(PINNED, 'utf8')));
  });
});
