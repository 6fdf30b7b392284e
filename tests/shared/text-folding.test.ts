import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evenText, foldText, lettersOf, wordsOf } from '../../src/shared/text-folding.ts';

const unicode = fc.string({ unit: 'binary', maxLength: 30 });

describe('foldText', () => {
  it.each([
    ['İSTANBUL', 'istanbul'],
    ['ISPARTA', 'isparta'],
    ['ısparta', 'isparta'],
    ['i\u0307stanbul', 'istanbul'],
    ['I\u0307STANBUL', 'istanbul'],
    ['ÇAĞRI ŞÜKRÜ ÖZ', 'çağri şükrü öz'],
    ['Straße', 'strasse'],
    ['GROẞE', 'grosse'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['ﬁnance ＴＲＹ №5', 'finance try no5'],
    ['  a\t\r\n b\u00a0c\u0085 d ', 'a b c d'],
    ['', ''],
  ])('folds %j to %j', (given, folded) => {
    expect(foldText(given)).toBe(folded);
  });

  it('gives the same result for every character when applied twice', () => {
    const unstable: string[] = [];
    for (let point = 0; point < 0x30000; point += 1) {
      const once = foldText(String.fromCodePoint(point));
      if (foldText(once) !== once) unstable.push(point.toString(16));
    }
    expect(unstable).toEqual([]);
  });

  it('is stable, and ignores letter case and composition, for any text', () => {
    fc.assert(
      fc.property(unicode, (text) => {
        const once = foldText(text);
        expect(foldText(once)).toBe(once);
        expect(foldText(text.normalize('NFD'))).toBe(once);
        expect(foldText(text.toLowerCase())).toBe(foldText(text.toLowerCase().toUpperCase()));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is stable for the letters that carry dots and marks', () => {
    const marked = fc.string({
      unit: fc.constantFrom('i', 'I', 'İ', 'ı', '\u0307', '\u0301', '\u0328', 'j', ' ', 'ς', 'Σ'),
    });
    fc.assert(
      fc.property(marked, (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('texts of letters that are folded one by one', () => {
  // A text with a letter beyond these is folded by the rules for all of Unicode.
  const beyond = '\u0250';
  const letters = Array.from({ length: 0x180 - 0x20 }, (_, nth) => String.fromCharCode(0x20 + nth));

  it('are folded as the rules for all of Unicode fold them', () => {
    for (const unit of [fc.constantFrom(...letters), fc.constantFrom(...'çğıİöşüÇĞIiÖŞÜéß ')]) {
      fc.assert(
        fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
          expect(`${foldText(text)} ${beyond}`.trimStart()).toBe(foldText(`${text} ${beyond}`));
          expect(`${evenText(text)} ${beyond}`.trimStart()).toBe(evenText(`${text} ${beyond}`));
        }),
        { numRuns: 2_000 },
      );
    }
  });
});

describe('a run of combining marks', () => {
  const MARKS = 60_000;

  it.each([
    ['dots', `i${'\u0307'.repeat(MARKS)}`],
    ['marks of one class', `a${'\u0301'.repeat(MARKS)}`],
    ['marks of two classes', `a${'\u0301\u0323'.repeat(MARKS / 2)}`],
    ['marks that expand', `a${'\u0344'.repeat(MARKS)}`],
    ['dots below and above', `i${'\u0323\u0307'.repeat(MARKS / 2)}`],
  ])('of any length is folded before the test is cut off: %s', (_kind, text) => {
    const once = foldText(text);
    expect(foldText(once)).toBe(once);
    expect(once.length).toBeLessThan(100);
    expect(lettersOf(text).length).toBeLessThan(100);
  });

  it('is stable when it is longer than in any script', () => {
    const unit = fc.constantFrom('i', 'I', 'a', '\u0307', '\u0301', '\u0323', '\u0344', '\u1fb7');
    fc.assert(
      fc.property(fc.string({ unit, minLength: 30, maxLength: 120 }), (text) => {
        expect(evenText(evenText(text))).toBe(evenText(text));
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('evenText', () => {
  it('keeps letter case, and normalises Turkish letters and spaces', () => {
    expect(evenText(' İŞ  Bankası\u00a0A.Ş. ')).toBe('IŞ Bankasi A.Ş.');
  });

  it('is stable and does not change what the folded text is', () => {
    fc.assert(
      fc.property(unicode, (text) => {
        expect(evenText(evenText(text))).toBe(evenText(text));
        expect(foldText(evenText(text))).toBe(foldText(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('wordsOf', () => {
  it('gives each word once, folded, without punctuation', () => {
    expect(wordsOf('FATURA No: 2025/0042 — fatura, ÖDEMESİ')).toEqual(['fatura', 'no', '2025', '0042', 'ödemesi']);
  });

  it('gives nothing for a text without words', () => {
    expect(wordsOf(' -- / ')).toEqual([]);
  });
});
