import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestService } from '../support/test-service.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
/** Oldest first; a machine without it runs the package on the Node that runs the tests. */
const NODES = ['/usr/bin/node', '/usr/local/bin/node'];

/** An empty folder in which the client was installed from its packed file; `tour.js` there imports it. */
export type PackedClient = {
  readonly folder: string;
  readonly installed: string;
  readonly remove: () => void;
};

export async function installPackedClient(): Promise<PackedClient> {
  const base = mkdtempSync(join(tmpdir(), 'client-'));
  const [source, folder] = [join(base, 'source'), join(base, 'client')];
  mkdirSync(folder);
  // Packed from a copy, since packing builds and several tests may do so at once.
  const isSource = (path: string): boolean => !['dist', 'node_modules'].includes(basename(path));
  cpSync(join(ROOT, 'sdk'), join(source, 'sdk'), { recursive: true, filter: isSource });
  copyFileSync(join(ROOT, 'tsconfig.json'), join(source, 'tsconfig.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  await run('npm', ['pack', './sdk', '--pack-destination', folder], { cwd: source });
  const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed}`], { cwd: folder });
  copyFileSync(join(ROOT, 'tests/clients/tour.js'), join(folder, 'tour.js'));
  return {
    folder,
    installed: join(folder, 'node_modules', 'bank-connection-client'),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** The oldest Node from 20 on that this machine has. */
export async function oldestNode(): Promise<string> {
  const versions = await Promise.all(
    NODES.map(async (node) => ({ node, version: await run(node, ['--version']).catch(() => null) })),
  );
  const found = versions.find(({ version }) => Number(/^v(\d+)/.exec(version?.stdout ?? '')?.[1] ?? 0) >= 20);
  return found?.node ?? process.execPath;
}

/** What the tour takes: where the service is, who calls it, and for whom. */
export function tourOf({ service, key, secret }: TestService, company: string) {
  const { email, password } = service.bootstrapped?.admin ?? { email: '', password: '' };
  return { baseUrl: service.url, apiKey: key, apiSecret: secret, company, seed: 'acme', email, password };
}
