/** Names as their makers write them: in every language the same. */
const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  // Those that call themselves Chrome or Safari as well come first.
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS|Chromium)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)\S* (?:Mobile\/\S+ )?Safari\//],
];

const SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['iPhone', /\(iPhone\b/],
  ['iPad', /\(iPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac ?OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

/** What is read from a user agent: `["Firefox 140", "Linux"]`. Null for a part that it does not say in a known way. */
export function clientName(userAgent: string): readonly [browser: string | null, system: string | null] {
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? null;
  for (const [name, pattern] of BROWSERS) {
    const found = pattern.exec(userAgent);
    if (found !== null) return [`${name} ${found[1]}`, system];
  }
  // A program, as curl/8.5.0, names itself first.
  const program = /^([A-Za-z][\w .-]{0,40}?)\/(\d+(?:\.\d+)*)/.exec(userAgent);
  if (program === null || program[1] === 'Mozilla') return [null, system];
  return [`${program[1]} ${program[2]}`, system];
}
