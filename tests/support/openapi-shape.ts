const TEXTS = new Set(['description', 'summary', 'title', 'example', 'examples']);

/**
 * The part of an OpenAPI document that clients depend on: everything except its texts. Members are in order of their
 * names, so that two shapes differ only where the documents do. The names below `properties` are fields, not texts,
 * whatever they are called.
 */
export function openApiShape(node: unknown, namesAreFields = false): unknown {
  if (Array.isArray(node)) return node.map((one) => openApiShape(one));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name]) => namesAreFields || !TEXTS.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => [name, openApiShape(value, !namesAreFields && name === 'properties')]),
  );
}
