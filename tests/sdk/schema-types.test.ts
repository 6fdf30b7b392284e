import { describe, expect, it } from 'vitest';
import { type Schema, typeOf } from '../../scripts/sdk/schema-types.ts';

const text = { type: 'string' } as const;
const named = { $ref: '#/components/schemas/Rule' } as const;

function flat(schema: Schema): string {
  return typeOf(schema).replaceAll(/\s+/g, ' ');
}

describe('the type of a schema', () => {
  it.each<[string, Schema, string]>([
    ['a named schema', named, 'Rule'],
    ['a named schema behind allOf', { type: 'object', allOf: [named] }, 'Rule'],
    ['an integer', { type: 'integer' }, 'number'],
    ['anything', { description: 'Any value.' }, 'unknown'],
    ['text or null', { type: ['string', 'null'] }, 'string | null'],
    ['words or null', { type: ['string', 'null'], enum: ['a', null] }, '"a" | null'],
    ['a list of alternatives', { type: 'array', items: { anyOf: [named, text] } }, '(Rule | string)[]'],
    ['a list or null', { type: ['array', 'null'], items: text }, 'string[] | null'],
    [
      'an object',
      { type: 'object', properties: { a: text, 'b-c': named }, required: ['a'], additionalProperties: false },
      '{ a: string; "b-c"?: Rule; }',
    ],
    [
      'an open object',
      { type: 'object', properties: { a: text }, additionalProperties: {} },
      '{ a?: string; [name: string]: unknown; }',
    ],
    ['a map', { type: 'object', additionalProperties: text }, 'Record<string, string>'],
    ['an empty object', { type: 'object', additionalProperties: false }, 'Record<string, never>'],
    [
      'an object that needs one of two properties',
      { type: 'object', properties: { a: text, b: named }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{ a?: string; b?: Rule; } & ({ a: string } | { b: Rule })',
    ],
    [
      'one of several objects',
      { oneOf: [named, { type: 'object', properties: { a: text } }] },
      'Rule | { a?: string; }',
    ],
  ])('%s', (_, schema, type) => {
    expect(flat(schema)).toBe(type);
  });

  it.each<[string, object]>([
    ['a keyword', { type: 'object', patternProperties: {} }],
    ['a keyword without a type', { patternProperties: {} }],
    ['a type', { type: 'date' }],
    ['a reference to another place', { $ref: 'other.json#/Rule' }],
    ['properties without a type', { properties: { a: text } }],
  ])('is refused, not guessed, for %s that it does not understand', (_, schema) => {
    expect(() => typeOf(schema as Schema)).toThrow();
  });
});
