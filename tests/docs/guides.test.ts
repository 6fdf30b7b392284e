import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/reference/openapi.ts';

const ROOT = new URL('../../', import.meta.url);

/** What guides and README set in code: in backticks or fenced. */
function codeOfGuides(): string {
  const guides = readdirSync(new URL('docs/guides/', ROOT)).map((name) => `docs/guides/${name}`);
  const texts = ['README.md', ...guides].map((path) => readFileSync(new URL(path, ROOT), 'utf8'));
  return texts.flatMap((text) => text.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []).join('\n');
}

type Schema = { readonly $ref?: string; readonly properties?: object };
type Operation = {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
};

describe('the guides', () => {
  it('name every field that a request body takes', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument()));
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object)) as Operation[];
    const code = codeOfGuides();
    const missing = operations.flatMap(({ operationId, requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema;
      const named: Schema = schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
      const names = Object.keys(named?.properties ?? {});
      return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code)).map((name) => `${operationId}: ${name}`);
    });
    expect(operations.length).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });
});
