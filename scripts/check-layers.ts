import { readdirSync } from 'node:fs';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { folders, layers } from './layers.ts';

/**
 * Checks every import in src, in the client and in the console against the layer rules. Fails too when the checker
 * found no modules at all, or none in one of the folders, since it would then pass anything.
 */
const { output } = await cruise(['src', 'sdk/src', 'console/src'], {
  ...layers.options,
  validate: true,
  ruleSet: layers,
} as never);
const { modules, summary } = output as ICruiseResult;

const seen = modules.filter((one) => one.source.startsWith('src/') && one.source.endsWith('.ts'));
const edges = seen.reduce((sum, one) => sum + one.dependencies.length, 0);
const faults: string[] = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
if (seen.length !== files.length) faults.push(`the checker saw ${seen.length} of ${files.length} modules`);
if (edges < seen.length) faults.push(`the checker saw only ${edges} imports`);
for (const folder of readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  if (!folders.includes(folder.name)) faults.push(`the folder src/${folder.name} has no layer rule`);
  if (!seen.some((one) => one.source.startsWith(`src/${folder.name}/`)))
    faults.push(`no module of src/${folder.name} was seen`);
}
const pages = modules.filter(({ source }) => source.startsWith('console/src/') && source.endsWith('.tsx'));
if (!pages.some(({ dependencies }) => dependencies.length > 0)) faults.push('no imports of the console were seen');
if (!modules.some(({ source }) => source === 'sdk/src/client.ts')) faults.push('no module of the client was seen');
for (const fault of faults) console.error(fault);
console.log(`${seen.length} modules, ${edges} imports, ${faults.length} faults`);
process.exit(faults.length > 0 ? 1 : 0);
