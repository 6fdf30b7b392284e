const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const STEP = '  ';

/**
 * JSON with line breaks and indentation, each number and string as it was sent: parsing would round long amounts. Text
 * that is no JSON stays as it is.
 */
export function pretty(json: string): string {
  try {
    JSON.parse(json);
  } catch {
    return json;
  }
  const out: string[] = [];
  let depth = 0;
  let before = '';
  for (const [token] of json.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const isEmpty = closes && (before === '{' || before === '[');
    if ((before === '{' || before === '[' || before === ',' || closes) && !isEmpty) {
      out.push('\n', STEP.repeat(depth));
    }
    out.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return out.join('');
}
