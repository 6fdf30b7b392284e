/** Digits beyond these may be lost in a floating point number. */
const SAFE_DIGITS = 15;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * As JSON.parse, except that a number with more digits than a floating point number keeps becomes its text. Whatever
 * shows or adds amounts takes both (format/decimal.ts).
 */
export function parseExactJson(json: string): unknown {
  const safe = json.replaceAll(TOKEN, (token) => {
    if (token.startsWith('"') || token.length <= SAFE_DIGITS) return token;
    return token.replaceAll(/[-.]|[eE].*$/g, '').length > SAFE_DIGITS ? `"${token}"` : token;
  });
  return JSON.parse(safe);
}
