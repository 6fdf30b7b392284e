import { hash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ReadStoreDamaged } from '../read-store.ts';

/**
 * The names of an object's fields in their order. Its id is computed from them, so that connections that meet the same
 * shape at the same time give it one id.
 */
export type Shape = { readonly id: string; readonly names: readonly string[] };

/** Rows are never changed or removed, since documents name them. A file without this table has no shapes. */
export const SHAPES_TABLE =
  'CREATE TABLE IF NOT EXISTS shapes (id TEXT PRIMARY KEY, names TEXT NOT NULL) WITHOUT ROWID;';

/** Read models have some twenty; further ones would be of objects whose names are data, which end nowhere. */
const MOST_SHAPES = 250;
/** 36 bits: that two of so few shapes have one id is next to impossible, and refused. */
const ID_LENGTH = 6;
/** What a field is called. Names that are data, such as days and currencies, look otherwise. */
const FIELD_NAME = /^[_a-z][A-Za-z]*$/;
/** Begins an array; the id of a shape begins an object. */
const ARRAY = 0;

type Known = Shape & {
  /** Has the shape's fields, all null. To copy it and fill it in takes less than to add each field. */
  readonly template: Readonly<Record<string, null>>;
  /** A row of the file has it. */
  isStored: boolean;
};

/**
 * How one connection to a file writes documents as JSON without the names of their fields (ADR 0058): an object is an
 * array of the id of its shape and its values, an array one of 0 and its elements. An object whose names are no names
 * of fields stays as it is. Documents that former releases stored are plain JSON.
 */
export class Shapes {
  readonly #database: DatabaseSync;
  readonly #byId = new Map<string, Known>();
  /** By the number of their names. */
  readonly #byLength: Known[][] = [];
  #select: StatementSync | undefined;
  #hasTable = false;
  #hasReadAll = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * A document's text as it is stored, and the shapes in it that the file may not have yet: whoever writes the text
   * stores them first.
   */
  textOf(document: object): { readonly text: string; readonly shapes: readonly Shape[] } {
    const fresh = new Set<Known>();
    const written = this.#canStore() ? this.#written(document, fresh) : document;
    // The text of an object that has no shape would begin as one of a former release, and mean something else.
    if (!Array.isArray(written)) return { text: JSON.stringify(document), shapes: [] };
    const text = JSON.stringify(written);
    const missing = [...fresh].filter((shape) => !this.#isInFile(shape));
    return { text, shapes: missing.map(({ id, names }) => ({ id, names })) };
  }

  /** The document of a stored text. @throws ReadStoreDamaged when it is none, which this store never writes */
  documentOf(text: string): unknown {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new ReadStoreDamaged('a stored document is not JSON', { cause: error });
    }
    return text.startsWith('[') ? this.#read(value) : value;
  }

  /** Call inside the transaction that writes a text with these shapes; {@link forget} when that is rolled back. */
  store(shapes: readonly Shape[]): void {
    for (const { id, names } of shapes) {
      const known = this.#byId.get(id) ?? this.#stored(id);
      if (known !== undefined && !isShapeOf(known, names)) throw new RangeError(`two shapes have the id ${id}`);
      if (known?.isStored === true) continue;
      this.#database.prepare('INSERT OR IGNORE INTO shapes VALUES (?, ?)').run(id, JSON.stringify(names));
      this.#learn({ id, names }).isStored = true;
    }
  }

  /** After a rollback: what was stored in the transaction is not in the file. */
  forget(): void {
    this.#byId.clear();
    this.#byLength.length = 0;
    this.#hasReadAll = false;
  }

  #written(value: unknown, fresh: Set<Known>): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.#writtenArray(value, fresh);
    const fields = value as Readonly<Record<string, unknown>>;
    let names = Object.keys(fields);
    if (names.some((name) => fields[name] === undefined)) names = names.filter((name) => fields[name] !== undefined);
    const shape = this.#shapeOf(names);
    if (shape === undefined) {
      return Object.fromEntries(names.map((name) => [name, this.#written(fields[name], fresh)]));
    }
    if (!shape.isStored) fresh.add(shape);
    const values: unknown[] = [shape.id];
    for (const name of names) values.push(this.#written(fields[name], fresh));
    return values;
  }

  /** Most arrays hold texts and numbers alone, and are copied at once. */
  #writtenArray(elements: readonly unknown[], fresh: Set<Known>): unknown[] {
    const written: unknown[] = [ARRAY];
    if (!elements.some(isObject)) return written.concat(elements);
    for (const element of elements) written.push(this.#written(element, fresh));
    return written;
  }

  /** Changes the value, which nobody else has. */
  #read(value: unknown): unknown {
    if (Array.isArray(value)) return value[0] === ARRAY ? this.#readArray(value) : this.#readObject(value);
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(fields)) {
      const field = fields[name];
      if (typeof field === 'object' && field !== null) fields[name] = this.#read(field);
    }
    return fields;
  }

  #readArray(written: readonly unknown[]): unknown[] {
    const elements = written.slice(1);
    for (let at = 0; at < elements.length; at += 1) {
      const element = elements[at];
      if (isObject(element)) elements[at] = this.#read(element);
    }
    return elements;
  }

  #readObject(written: readonly unknown[]): object {
    const [id] = written;
    const shape = typeof id === 'string' ? (this.#byId.get(id) ?? this.#stored(id)) : undefined;
    if (shape?.names.length !== written.length - 1) {
      throw new ReadStoreDamaged(`a stored document has a shape that does not exist: ${JSON.stringify(id)}`);
    }
    const { names, template } = shape;
    const document: Record<string, unknown> = { ...template };
    for (let at = 0; at < names.length; at += 1) {
      const value = written[at + 1];
      if (value === null) continue;
      document[names[at] as string] = typeof value === 'object' ? this.#read(value) : value;
    }
    return document;
  }

  /** Undefined where the names are data, or too many shapes are known. */
  #shapeOf(names: readonly string[]): Known | undefined {
    const known = this.#byLength[names.length]?.find((shape) => isShapeOf(shape, names));
    if (known !== undefined) return known;
    if (!names.every((name) => FIELD_NAME.test(name))) return undefined;
    const id = hash('sha256', names.join('\n'), 'base64url').slice(0, ID_LENGTH);
    const stored = this.#stored(id);
    if (stored !== undefined) return isShapeOf(stored, names) ? stored : undefined;
    this.#readAll();
    return this.#byId.size < MOST_SHAPES && !this.#byId.has(id) ? this.#learn({ id, names }) : undefined;
  }

  /** The shape as the file has it. */
  #stored(id: string): Known | undefined {
    if (!this.#canStore()) return undefined;
    this.#select ??= this.#database.prepare('SELECT names FROM shapes WHERE id = ?');
    const row = this.#select.get(id);
    if (row === undefined) return undefined;
    const shape = this.#learn({ id, names: JSON.parse(String(row.names)) as string[] });
    shape.isStored = true;
    return shape;
  }

  #isInFile(shape: Known): boolean {
    if (!shape.isStored) this.#stored(shape.id);
    return shape.isStored;
  }

  #learn({ id, names }: Shape): Known {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const template = Object.fromEntries(names.map((name) => [name, null]));
    const shape: Known = { id, names, template, isStored: false };
    this.#byId.set(id, shape);
    const ofLength = this.#byLength[names.length] ?? [];
    ofLength.push(shape);
    this.#byLength[names.length] = ofLength;
    return shape;
  }

  /** Before a new one: their number is bounded in the file, whoever stored them. */
  #readAll(): void {
    if (this.#hasReadAll) return;
    for (const { id } of this.#database.prepare('SELECT id FROM shapes').all()) this.#stored(String(id));
    this.#hasReadAll = true;
  }

  #canStore(): boolean {
    if (this.#hasTable) return true;
    const there = `SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'shapes'`;
    this.#hasTable = this.#database.prepare(there).get()?.n === 1;
    return this.#hasTable;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isShapeOf({ names: own }: Shape, names: readonly string[]): boolean {
  if (own.length !== names.length) return false;
  for (let at = 0; at < own.length; at += 1) if (own[at] !== names[at]) return false;
  return true;
}
