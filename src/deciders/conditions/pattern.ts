import { RE2JS } from 're2js';
import { evenText } from '../../shared/text-folding.ts';
import { CONDITION_LIMITS } from './condition.ts';

/**
 * Bytes one pattern's automaton may cache. The library's 8 MiB a pattern would let a tenant's rules fill the process.
 */
const AUTOMATON_BYTES = 256 * 1024;
const BEYOND_ASCII = /[^\p{ASCII}]+/gu;
const DOT_ABOVE = /([Ii])\u0307/gu;
const ASCII_SYNTAX = /[!-/:-@[-`{-~]/g;

export type Pattern = { readonly instructions: number; readonly found: (evened: string) => boolean };

export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PatternError';
  }
}

/**
 * A user's RE2 pattern (https://github.com/google/re2/wiki/Syntax), searched anywhere in a text that `evenText` has
 * normalised; letter case does not matter unless the pattern says `(?-i)`. The pattern's own characters beyond ASCII
 * are normalised too, or they could never match.
 * @throws PatternError for a text that is no RE2 pattern or whose program is too large
 */
export function compilePattern(source: string): Pattern {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(evenPattern(source), RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    throw new PatternError(
      `not an RE2 pattern: ${error instanceof Error ? error.message.slice(0, 200) : 'unreadable'}`,
    );
  }
  const instructions = compiled.programSize();
  if (instructions > CONDITION_LIMITS.patternInstructions) {
    throw new PatternError(
      `the pattern compiles to ${instructions} instructions, more than ${CONDITION_LIMITS.patternInstructions}`,
    );
  }
  return { instructions, found: finder(compiled) };
}

/** The automaton is made on first use: most compiled patterns are only checked. */
function finder(compiled: RE2JS): (evened: string) => boolean {
  let bounded = false;
  return (evened) => {
    if (!bounded) {
      const automaton = compiled.re2().dfa;
      automaton.stateBudget = AUTOMATON_BYTES;
      automaton.memBudget = AUTOMATON_BYTES;
      bounded = true;
    }
    return compiled.test(evened);
  };
}

/** A character that is no syntax before normalisation (a full-width bracket) must not become syntax by it. */
function evenPattern(source: string): string {
  const undotted = source.normalize('NFC').replace(DOT_ABOVE, '$1');
  return undotted.replace(BEYOND_ASCII, (run) => {
    // evenText trims; a foreign space at the end of the run is a space of the pattern.
    const spaced = evenText(`.${run}.`).slice(1, -1);
    return spaced.replace(ASCII_SYNTAX, '\\$&');
  });
}
