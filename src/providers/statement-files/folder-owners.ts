import type { Collection, CollectionSpec, Document, ReadStore } from '../../readstore/read-store.ts';
import { foldText } from '../../shared/text-folding.ts';

/** Which tenant a folder of statements is of. No event: what lies on our disk is no fact of a tenant's. */
const STATEMENT_FOLDERS: CollectionSpec = { name: 'statement_folders', indexes: [] };

type FolderClaim = Document & { readonly tenantId: string };

export type FolderOwners = {
  /**
   * Whether the tenant owns the folder directly below `STATEMENTS_DIR`, with all below that. The first one who asks
   * does, for good. Names that some file system takes for the same are one here: none leads to a folder that another
   * tenant owns by another writing of it.
   * @throws ReadStoreUnavailable
   */
  readonly owns: (tenantId: string, topFolder: string) => Promise<boolean>;
};

export async function openFolderOwners(readStore: ReadStore): Promise<FolderOwners> {
  await readStore.ensureCollection(STATEMENT_FOLDERS);
  const claims: Collection<FolderClaim> = readStore.collection(STATEMENT_FOLDERS);
  return {
    async owns(tenantId, topFolder) {
      const _id = foldText(topFolder);
      const found = await claims.get(_id);
      if (found !== undefined) return found.tenantId === tenantId;
      if (await claims.compareAndSet({ _id, _position: '1', tenantId }, null)) return true;
      return (await claims.get(_id))?.tenantId === tenantId;
    },
  };
}
