import { describe, expect, it } from 'vitest';
import { openCharsetEvidence, openDecoder } from '../../../src/providers/statement-files/code-pages.ts';
import { DOS_PAGES } from '../../../src/providers/statement-files/dos-pages.ts';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import { mt940Statement } from '../../support/statement-texts.ts';

const PLATFORM_PAGES = ['windows-1250', 'windows-1252', 'windows-1254', 'iso-8859-2', 'iso-8859-15'];

/** The text in that code page. */
function encoded(text: string, charset: string): Buffer {
  if (charset === 'utf-8') return Buffer.from(text);
  const upper = PLATFORM_PAGES.includes(charset)
    ? new TextDecoder(charset).decode(Uint8Array.from({ length: 128 }, (_, index) => index + 128))
    : DOS_PAGES[charset as keyof typeof DOS_PAGES];
  return Buffer.from(
    [...text].map((character) => {
      if (character <= '\u007f') return character.charCodeAt(0);
      const at = upper.indexOf(character);
      if (at < 0) throw new Error(`${charset} has no ${character}`);
      return at + 128;
    }),
  );
}

/** The code page detected for bytes that arrive in pieces of that length. */
function charsetOf(bytes: Uint8Array, pieceLength = bytes.length): string {
  const evidence = openCharsetEvidence();
  for (let from = 0; from < bytes.length; from += pieceLength) evidence.take(bytes.subarray(from, from + pieceLength));
  return evidence.charset();
}

const TURKISH = 'Şişli Vergi Dairesi, İstanbul: gelir vergisi ödemesi, Çağrı Yağız Öztürk';
const POLISH = 'Zażółć gęślą jaźń: opłata za usługi księgowe, Łódź, Świętokrzyska';
const HUNGARIAN = 'Bankon belüli átutalás, díj, jutalék: Őrség Kft., fűtés, hűtő, körút';
const GERMAN = 'Überweisung für Müller & Söhne, Straße, Größe, Äpfel, München';
const DUTCH = 'Één rekening, geïnd bij café Zoë';

describe('the code page of an MT940 file is detected from its words', () => {
  it.each([
    ['Turkish', TURKISH, ['utf-8', 'windows-1254', 'cp857']],
    ['Polish', POLISH, ['utf-8', 'windows-1250', 'iso-8859-2', 'cp852']],
    ['Hungarian', HUNGARIAN, ['utf-8', 'windows-1250', 'cp852']],
    ['German', GERMAN, ['utf-8', 'windows-1252', 'windows-1250', 'windows-1254', 'iso-8859-15', 'cp850', 'cp852']],
    ['Dutch', DUTCH, ['utf-8', 'windows-1252', 'cp850']],
  ])('%s', async (_language, text, charsets) => {
    for (const charset of charsets) {
      const file = encoded(mt940Statement({ opening: 0, rows: [{ day: '2025-03-03', change: 1, text }] }), charset);
      const { statements } = await readStatements(file);
      expect([charset, statements[0]?.rows[0]?.description]).toEqual([charset, text]);
    }
  });

  it.each(['şube', 'ödeme ığdır', 'KAĞIT', 'Świdnica', 'księgowość', 'hűtő', 'Straße', 'Gebühr', 'café'])(
    'even from the single word %s',
    (word) => {
      const charset = /[şığ]/i.test(word)
        ? 'windows-1254'
        : /[śęłż]/i.test(word)
          ? 'windows-1250'
          : /[űő]/.test(word)
            ? 'windows-1250'
            : 'windows-1252';
      expect(openDecoder(charsetOf(encoded(word, charset)), true)(encoded(word, charset))).toBe(word);
    },
  );

  it('UTF-8 in which the bank split letters at the ends of lines stays UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(TURKISH.repeat(3)), Buffer.from([0xc5]), Buffer.from('\r\n')]);
    expect(charsetOf(bytes)).toBe('utf-8');
  });

  it('the charset of the connection takes precedence', async () => {
    const text = 'Ýþlem ðý';
    const file = encoded(
      mt940Statement({ opening: 0, rows: [{ day: '2025-03-03', change: 1, text }] }),
      'windows-1252',
    );
    const said = async (charset: string | null) =>
      (await readStatements(file, { charset })).statements[0]?.rows[0]?.description;
    expect([await said(null), await said('windows-1254'), await said('windows-1252')]).toEqual([
      'İşlem ğı',
      'İşlem ğı',
      text,
    ]);
    await expect(readStatements(file, { charset: 'utf-8' })).rejects.toMatchObject({
      message: 'the file is not valid utf-8',
    });
  });
});
