import type { DatabaseSync } from 'node:sqlite';
import { valueAt } from '../ordering.ts';
import { columnValue } from './column-value.ts';
import { identifierValue } from './identifier-value.ts';
import type { Packing } from './packing.ts';
import type { Shapes } from './shapes.ts';

/**
 * What SQL asks of a stored document, in whatever form it is stored:
 * `doc_text(doc)`: its JSON text;
 * `doc_value(doc, path)`: the value of a field as a column holds it, the path as a JSON array of keys;
 * `doc_key(value)`: an identifier as a column holds it in bytes;
 * `doc_has(doc, path, term)`, `doc_has_prefix(doc, path, start)`: 1 where the array field contains the string, or one
 * that starts with it.
 */
export function defineDocumentFunctions(database: DatabaseSync, packing: Packing, shapes: Shapes): void {
  const paths = new Map<string, readonly string[]>();
  const fieldOf = (text: string, path: string): unknown => {
    const keys = paths.get(path) ?? (JSON.parse(path) as readonly string[]);
    paths.set(path, keys);
    return valueAt(shapes.documentOf(text), keys);
  };
  const some = (doc: unknown, path: unknown, written: string, holds: (term: string) => boolean): 0 | 1 => {
    const text = packing.textOf(doc);
    // To look for the text is much cheaper than to read the document, and few documents have it elsewhere.
    if (!text.includes(written)) return 0;
    const value = fieldOf(text, String(path));
    return Array.isArray(value) && value.some((term) => typeof term === 'string' && holds(term)) ? 1 : 0;
  };
  const options = { deterministic: true } as const;
  database.function('doc_text', options, (doc) => {
    const text = packing.textOf(doc);
    return text.startsWith('[') ? JSON.stringify(shapes.documentOf(text)) : text;
  });
  database.function('doc_value', options, (doc, path) => columnValue(fieldOf(packing.textOf(doc), String(path))));
  database.function('doc_key', options, identifierValue);
  database.function('doc_has', options, (doc, path, term) =>
    some(doc, path, JSON.stringify(term), (one) => one === term),
  );
  database.function('doc_has_prefix', options, (doc, path, start) =>
    some(doc, path, JSON.stringify(start).slice(0, -1), (one) => one.startsWith(String(start))),
  );
}
