import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ApiDocument, clientSources } from '../../scripts/sdk/client-sources.ts';
import { openApiDocument } from '../../src/http/reference/openapi.ts';

const document: ApiDocument = JSON.parse(JSON.stringify(openApiDocument()));
const sources = clientSources(document);

describe('the generated part of the client', () => {
  it.each(Object.entries(sources))('%s is made from the document (PIN=sdk writes it)', (name, source) => {
    const file = new URL(`../../sdk/src/${name}`, import.meta.url);
    if (process.env.PIN === 'sdk') writeFileSync(file, source);
    expect(readFileSync(file, 'utf8')).toBe(source);
  });
});
