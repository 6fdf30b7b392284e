import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/**
 * Builds the console into console/dist, each file also compressed, so that the service has nothing left to do. What is
 * built from the same sources stays as it is. An installation without development dependencies builds nothing: it has
 * what was built before, or no console.
 */
const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'console/dist');
const DIGEST = join(DIST, 'sources.sha256');
const SOURCES = ['console/*.{ts,html,json}', 'console/{src,public}/**/*', 'sdk/src/**/*', 'package-lock.json'];
/** Smaller than this a file gains nothing. */
const WORTH_BYTES = 512;

function digestOfSources(): string {
  const digest = createHash('sha256');
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    digest
      .update(`${path.slice(ROOT.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return digest.digest('hex');
}

function compress(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(css|html|js|svg)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    if (content.length < WORTH_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}

async function run(): Promise<void> {
  if (!existsSync(join(ROOT, 'console/index.html')) || !existsSync(join(ROOT, 'node_modules/vite'))) return;
  const digest = digestOfSources();
  if (existsSync(DIGEST) && readFileSync(DIGEST, 'utf8') === digest) return;
  // Called from tests it would otherwise build what is for development only.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({ configFile: join(ROOT, 'console/vite.config.ts'), logLevel: 'warn' });
  compress(DIST);
  writeFileSync(DIGEST, digest);
  console.log('The console is built in console/dist');
}

await run();
