import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/reference/openapi.ts';
import { openApiShape } from '../support/openapi-shape.ts';

const PINNED = new URL('../fixtures/openapi/shape.json', import.meta.url);

describe('the OpenAPI document', () => {
  it('has the pinned shape, texts aside: after an intended change run with PIN=openapi', () => {
    const shape = openApiShape(JSON.parse(JSON.stringify(openApiDocument())));
    if (process.env.PIN === 'openapi') writeFileSync(PINNED, `${JSON.stringify(shape, null, 1)}\n`);
    expect(shape).toEqual(JSON.parse(readFileSync(PINNED, 'utf8')));
  });
});
