import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UNPACKED_LIMITS } from '../../../src/providers/statement-files/packed-file.ts';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import { camtStatement, mt940Statement } from '../../support/statement-texts.ts';

const mt940 = mt940Statement({ opening: 0, rows: [{ day: '2025-03-03', change: 1, text: 'one' }] });
const camt = camtStatement({ opening: 1, rows: [{ day: '2025-03-04', change: 2, text: 'two' }] });

type Entry = { name: string; content: Buffer; packed?: Buffer; method?: number; flags?: number; size?: number };

/** A zip file of these entries, deflated by default. */
function zipOf(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const {
    name,
    content,
    packed = deflateRawSync(content),
    method = 8,
    flags = 0,
    size = content.length,
  } of entries) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(flags, 8);
    head.writeUInt16LE(method, 10);
    head.writeUInt32LE(packed.length, 20);
    head.writeUInt32LE(size, 24);
    head.writeUInt16LE(name.length, 28);
    head.writeUInt32LE(at, 42);
    directory.push(head, Buffer.from(name));
    parts.push(local, Buffer.from(name), packed);
    at += local.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const textsOf = async (bytes: Uint8Array) => {
  const { statements, faults } = await readStatements(bytes);
  return { texts: statements.flatMap(({ rows }) => rows.map(({ description }) => description)), faults };
};

describe('packed files', () => {
  it('are read: gzip, and each file of a zip', async () => {
    expect(await textsOf(gzipSync(mt940))).toEqual({ texts: ['one'], faults: [] });
    const stored = { name: 'b.xml', content: Buffer.from(camt), packed: Buffer.from(camt), method: 0 };
    const zip = zipOf([
      { name: 'in/', content: Buffer.alloc(0) },
      { name: 'in/a.sta', content: Buffer.from(mt940) },
      stored,
    ]);
    expect(await textsOf(zip)).toEqual({ texts: ['one', 'two'], faults: [] });
  });

  it('name the file within in faults, and skip what is not a statement', async () => {
    const zip = zipOf([
      { name: 'readme.txt', content: Buffer.from('hello') },
      { name: 'a.sta', content: Buffer.from(mt940.replace('62F', '69F')) },
    ]);
    const { faults } = await textsOf(zip);
    expect(faults.map(({ code, place }) => [code, place])).toEqual([
      ['STATEMENT_FORMAT_UNKNOWN', 'readme.txt'],
      ['STATEMENT_FILE_INVALID', 'a.sta, line 1'],
    ]);
  });

  const tooLarge = { code: 'STATEMENT_FILE_TOO_LARGE' };

  it('are refused when they unpack to more than a file may have, whatever size they state', async () => {
    const limits = { bytes: 1_000_000, ratio: 2_000 };
    const read = (bytes: Uint8Array) => readStatements(bytes, { charset: null }, limits);
    const bomb = Buffer.alloc(limits.bytes + 1);
    const message = 'the file is larger than 0 MiB unpacked';
    await expect(read(gzipSync(bomb))).rejects.toMatchObject({ ...tooLarge, message });
    await expect(read(zipOf([{ name: 'a', content: bomb }]))).rejects.toMatchObject(tooLarge);
    await expect(read(zipOf([{ name: 'a', content: bomb, size: 10 }]))).rejects.toMatchObject(tooLarge);
    const half = { content: bomb.subarray(0, bomb.length / 2 + 1), size: 10 };
    await expect(
      read(
        zipOf([
          { name: 'a', ...half },
          { name: 'b', ...half },
        ]),
      ),
    ).rejects.toMatchObject(tooLarge);
  });

  it('are refused when they unpack to many times their own size, long before they are large', async () => {
    expect(UNPACKED_LIMITS.bytes).toBe(1024 ** 3);
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const message = 'the packed file is far larger unpacked than any statement';
    await expect(readStatements(bomb)).rejects.toMatchObject({ ...tooLarge, message });
  });

  it.each<[string, Uint8Array, string]>([
    ['cut off', gzipSync(mt940).subarray(0, 30), 'the packed file is damaged'],
    [
      'a zip without its directory',
      zipOf([{ name: 'a', content: Buffer.from(mt940) }]).subarray(0, 60),
      'the packed file is damaged',
    ],
    [
      'a zip that points beyond itself',
      zipOf([{ name: 'a', content: Buffer.from(mt940) }]).fill(0xff, 30, 60),
      'the packed file is damaged',
    ],
    ['encrypted', zipOf([{ name: 'a', content: Buffer.from(mt940), flags: 1 }]), 'the packed file is encrypted'],
    [
      'packed in another way',
      zipOf([{ name: 'a', content: Buffer.from(mt940), method: 12 }]),
      'the packed file is packed in an unknown way',
    ],
  ])('are refused: %s', async (_what, bytes, message) => {
    await expect(readStatements(bytes)).rejects.toMatchObject({ message });
  });
});

describe('camt.053 in an envelope', () => {
  const bare = camt.replace(/<\?xml[^>]*\?>/, '');
  it.each([
    [
      'a business message envelope',
      `<BizMsgEnvlp xmlns="urn:x"><Hdr><AppHdr><Fr/></AppHdr></Hdr><Doc>${bare}</Doc></BizMsgEnvlp>`,
    ],
    [
      'a SWIFT data unit',
      `<Saa:DataPDU xmlns:Saa="urn:swift"><Saa:Revision>2</Saa:Revision><Saa:Body><AppHdr/>${bare}</Saa:Body></Saa:DataPDU>`,
    ],
  ])('is read: %s', async (_what, xml) => {
    expect(await textsOf(Buffer.from(xml))).toEqual({ texts: ['two'], faults: [] });
  });
});
