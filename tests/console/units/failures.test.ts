import { describe, expect, it } from 'vitest';
import { failuresTr } from '../../../console/src/words/failures-tr.ts';
import { errorCodes } from '../../../src/http/core/errors.ts';

describe('what an error code means, in Turkish', () => {
  it('is said for every code that the service documents, and for no other', () => {
    expect(Object.keys(failuresTr).sort()).toEqual(Object.keys(errorCodes).sort());
  });

  it.each(Object.entries(failuresTr))(
    '%s: is one or more sentences, none of them the same as another',
    (code, said) => {
      expect(said).toMatch(/^[A-ZÇĞİÖŞÜ].*\.$/);
      const others = Object.entries(failuresTr).filter(([other]) => other !== code);
      expect(others.map(([, sentence]) => sentence)).not.toContain(said);
    },
  );
});
