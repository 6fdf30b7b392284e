import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

type Bytes = Uint8Array<ArrayBuffer>;

/** A file of the console. */
export type ConsoleFile = {
  readonly type: string;
  readonly bytes: Bytes;
  /** The content codings that it was built in. */
  readonly codings: Map<string, Bytes>;
  /** Whether its name changes with its content, so that browsers may keep it for ever. */
  readonly isHashed: boolean;
};

export type ConsoleFiles = {
  /** What every page of the console begins with. */
  readonly index: ConsoleFile;
  /** What every page of the API reference begins with; its other files are among those of the console. */
  readonly reference: ConsoleFile | null;
  /** By path below /console/. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
};

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Content coding, and the ending that the build adds to a file in it. */
const ENDINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** The build puts what it names by content into this folder. */
const HASHED = 'assets/';

const REFERENCE = 'docs.html';

/**
 * Reads the built console into memory, some hundred kilobytes; null where the folder has none. Files of other kinds
 * than those of a page are left out.
 */
export function readConsole(folder: string): ConsoleFiles | null {
  if (!existsSync(join(folder, 'index.html'))) return null;
  const files = new Map<string, ConsoleFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join('/');
    const codings = ENDINGS.filter(([, ending]) => existsSync(file + ending)).map(
      ([coding, ending]) => [coding, bytesOf(file + ending)] as const,
    );
    files.set(path, { type, bytes: bytesOf(file), codings: new Map(codings), isHashed: path.startsWith(HASHED) });
  }
  const index = files.get('index.html');
  const reference = files.get(REFERENCE) ?? null;
  files.delete(REFERENCE);
  return index === undefined ? null : { index, reference, files };
}

function bytesOf(file: string): Bytes {
  return new Uint8Array(readFileSync(file));
}
