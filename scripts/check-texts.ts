import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Checks the texts of the repository: lines of at most 120 characters, links to files and headings that exist, decision
 * records that exist under the number by which they are cited, and paths that exist. Tables, lines with a link, and
 * fixtures may be longer.
 */
const WIDEST = 120;

const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).split('\n');
const files = tracked.filter(
  (file) => /\.(tsx?|css|md)$/.test(file) && !file.startsWith('tests/fixtures/') && existsSync(file),
);
const records = new Set(files.flatMap((file) => /^docs\/adr\/(\d{4})-/.exec(file)?.[1] ?? []));

const faults: string[] = [];

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function anchorsOf(markdown: string): Set<string> {
  return new Set([...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading)));
}

/** The formatter wraps code; a longer line holds a literal. */
function mayBeLonger(file: string, line: string): boolean {
  if (file.endsWith('.md')) return line.startsWith('|') || line.includes('](');
  return /\.tsx?$/.test(file) ? !/^\s*(\/\/|\/?\*)/.test(line) : false;
}

function checkWidth(file: string, line: string, place: string): void {
  if (line.length > WIDEST && !mayBeLonger(file, line)) faults.push(`${place}: ${line.length} characters`);
}

function checkRecords(line: string, place: string): void {
  for (const [, number = ''] of line.matchAll(/\bADR (\d{4})\b/g)) {
    if (!records.has(number)) faults.push(`${place}: there is no ADR ${number}`);
  }
}

function checkPaths(line: string, place: string): void {
  for (const [, path = ''] of line.matchAll(/`((?:src|tests|cli|bench|scripts|console)\/[\w./-]+)`/g)) {
    if (!existsSync(path)) faults.push(`${place}: ${path} is not there`);
  }
}

function checkLinks(file: string, line: string, place: string): void {
  for (const [, target = ''] of line.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? file : join(dirname(file), path);
    if (!existsSync(linked)) faults.push(`${place}: ${target} leads nowhere`);
    else if (anchor !== undefined && !anchorsOf(readFileSync(linked, 'utf8')).has(anchor)) {
      faults.push(`${place}: ${linked} has no heading #${anchor}`);
    }
  }
}

for (const file of files) {
  let fenced = false;
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const place = `${file}:${index + 1}`;
    if (line.trimStart().startsWith('```')) fenced = !fenced;
    if (!fenced) checkWidth(file, line, place);
    checkRecords(line, place);
    if (file.endsWith('.md')) {
      checkLinks(file, line, place);
      checkPaths(line, place);
    }
    if (/§ ?\d/.test(line)) faults.push(`${place}: cites a section of a document that is not here`);
  }
}
for (const fault of faults) console.error(fault);
console.log(`${files.length} files, ${records.size} decision records, ${faults.length} faults`);
process.exit(faults.length > 0 || records.size === 0 ? 1 : 0);
