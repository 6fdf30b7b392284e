import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/reference/openapi.ts';

const ROOT = new URL('../../', import.meta.url);

/** The guide for each group of operations. */
const GUIDE_OF: Readonly<Record<string, readonly string[]>> = {
  'Signing in': ['signing-in'],
  People: ['signing-in'],
  'API keys': ['keys-and-tenants'],
  Operator: ['keys-and-tenants'],
  Connections: ['getting-started', 'statement-files'],
  Assignments: ['rules'],
  Rules: ['rules'],
  'Rule runs': ['rules'],
  Schedules: ['schedules'],
  Webhooks: ['changes-and-webhooks'],
  Audit: ['audit'],
};

/** What the guides for a group of operations set in code: in backticks or fenced. */
function codeOfGuides(tag: string): string {
  const texts = (GUIDE_OF[tag] ?? []).map((name) => readFileSync(new URL(`docs/guides/${name}.md`, ROOT), 'utf8'));
  return texts.flatMap((text) => text.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []).join('\n');
}

type Schema = { readonly $ref?: string; readonly properties?: object };
type Operation = {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
};

describe('the guides', () => {
  it('name every field that a request body takes, each in the guide for its operation', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument()));
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object)) as Operation[];
    const missing = operations.flatMap(({ operationId, tags: [tag], requestBody }) => {
      const code = codeOfGuides(tag);
      const schema = requestBody?.content['application/json']?.schema;
      const named: Schema = schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
      const names = Object.keys(named?.properties ?? {});
      return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code)).map((name) => `${operationId}: ${name}`);
    });
    expect(operations.length).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });
});
