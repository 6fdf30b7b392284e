import { canonicalJson, sha256 } from '../shared/hash.ts';
import { type HistoryFault, openHistoryCheck, whereItDiffers } from './check-history.ts';
import type { ExportFooter, ExportHeader } from './export-history.ts';
import type { SealedForm } from './leaf.ts';
import { merkleRoot } from './merkle.ts';
import { isSignedBy, sealHash } from './seal.ts';

export type ExportVerdict =
  | {
      readonly ok: true;
      readonly tenantId: string;
      readonly publicKey: string;
      readonly events: number;
      readonly seals: number;
    }
  | { readonly ok: false; readonly fault: HistoryFault };

type Parsed = Record<string, unknown>;

function parsed(line: string): Parsed | null {
  try {
    const value: unknown = JSON.parse(line);
    // The export writes canonical text only, so anything else was changed afterwards.
    return typeof value === 'object' && value !== null && canonicalJson(value) === line ? (value as Parsed) : null;
  } catch {
    return null;
  }
}

function isHeader(value: Parsed | null): value is ExportHeader & Parsed {
  return value?.format === 'bank-history' && value.version === 1 && typeof value.publicKey === 'string';
}

function isEvent(value: Parsed): boolean {
  return typeof value.id === 'string' && typeof value.type === 'string' && typeof value.stream === 'string';
}

/**
 * Checks an export without the service: every line, every seal, the footer. Names the first event that was changed,
 * removed, added or moved.
 * @param trusted the public key that the auditor has for the service; null: the one in the file, which proves only that
 * the file is consistent in itself
 */
export async function checkExport(lines: AsyncIterable<string>, trusted: string | null): Promise<ExportVerdict> {
  let header: (ExportHeader & Parsed) | null = null;
  let headerHash = '';
  let footer: ExportFooter | null = null;
  let check: ReturnType<typeof openHistoryCheck> | null = null;
  const no = (kind: HistoryFault['kind'], index: number, message: string): ExportVerdict => {
    return { ok: false, fault: { kind, index, eventId: null, message } };
  };
  for await (const line of lines) {
    const value = parsed(line);
    if (header === null || check === null) {
      if (!isHeader(value)) return no('changed', 0, 'the first line is not the header of an export');
      if (trusted !== null && value.publicKey !== trusted) return no('seal', 0, 'the export is signed by another key');
      header = value;
      headerHash = sha256(line);
      check = openHistoryCheck(header.publicKey);
      continue;
    }
    const index = check.counts().events;
    if (footer !== null) return no('added', index, 'something was added after the end of the export');
    if (value === null) return no('changed', index, `event ${index + 1} (line ${index + 2}) was changed`);
    if (value.end === true) {
      footer = value as unknown as ExportFooter;
      continue;
    }
    if (!isEvent(value)) return no('changed', index, `event ${index + 1} (line ${index + 2}) was changed`);
    const fault = check.take(value as unknown as SealedForm);
    if (fault !== null) return { ok: false, fault };
  }
  if (header === null || check === null) return no('cut', 0, 'the export is empty');
  const { events, seals } = check.counts();
  if (footer === null) return no('cut', events, `the export was cut off after event ${events}`);
  const wrong = footerFault(footer, header.publicKey, headerHash, check);
  if (wrong !== null) return { ok: false, fault: wrong };
  return { ok: true, tenantId: header.tenantId, publicKey: header.publicKey, events, seals };
}

function footerFault(
  footer: ExportFooter,
  publicKey: string,
  headerHash: string,
  check: ReturnType<typeof openHistoryCheck>,
): HistoryFault | null {
  const { events } = check.counts();
  const fault = (kind: HistoryFault['kind'], message: string): HistoryFault => {
    return { kind, index: events, eventId: null, message };
  };
  const { signature, ...unsigned } = footer;
  if (footer.publicKey !== publicKey || !isSignedBy(publicKey, canonicalJson(unsigned), signature)) {
    return fault('changed', 'the last line was changed: its signature is not valid');
  }
  if (footer.headerHash !== headerHash) return fault('changed', 'the first line was changed');
  const waiting = check.unsealed();
  const last = check.lastSeal();
  if (footer.lastSeal !== (last?.ordinal ?? 0) || footer.lastSealHash !== (last === null ? null : sealHash(last))) {
    return fault('removed', `seal ${(last?.ordinal ?? 0) + 1} was removed`);
  }
  const first = events - waiting.length;
  const same = merkleRoot(waiting.map(({ leaf }) => leaf)).toString('hex') === footer.unsealedRoot;
  if (footer.events === events && same) return null;
  return whereItDiffers(footer.unsealedFingerprints, 'the last line', waiting, first);
}
