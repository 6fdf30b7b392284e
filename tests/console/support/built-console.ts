import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Tests see the console of the sources as they stand. */
export function setup(): void {
  const root = join(import.meta.dirname, '../../..');
  execFileSync(process.execPath, ['scripts/build-console.ts'], { cwd: root, stdio: 'inherit' });
}
