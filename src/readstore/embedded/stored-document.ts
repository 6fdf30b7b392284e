import { ReadStoreDamaged } from '../read-store.ts';

/** A document as it is stored. @throws ReadStoreDamaged when it is not JSON, which this store never writes */
export function storedDocument<D>(text: unknown): D {
  try {
    return JSON.parse(String(text)) as D;
  } catch (error) {
    throw new ReadStoreDamaged('a stored document is not JSON', { cause: error });
  }
}
