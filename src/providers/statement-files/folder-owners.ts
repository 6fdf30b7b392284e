import type { Collection, CollectionSpec, Document, ReadStore } from '../../readstore/read-store.ts';
import { foldText } from '../../shared/text-folding.ts';

/** Which company a folder of statements belongs to. Not an event: files on our disk are not facts about a tenant. */
const STATEMENT_FOLDERS: CollectionSpec = { name: 'statement_folders', indexes: [], isState: true };

export type FolderOwner = { readonly tenantId: string; readonly companyId: string };

/** `companyId` is absent in claims of earlier releases, which belong to the whole tenant. */
type FolderClaim = Document & { readonly tenantId: string; readonly companyId?: string };

export type FolderOwners = {
  /**
   * Whether the company owns the folder directly below `STATEMENTS_DIR`, and thus everything below it. The first
   * company that asks owns it permanently, as long as the installation has only one tenant. Names that some file
   * systems treat as equal count as one, so that no other spelling leads to a folder that another company owns.
   * @throws ReadStoreUnavailable
   */
  readonly owns: (owner: FolderOwner, topFolder: string) => Promise<boolean>;
  /** Whether a folder can be opened only with a grant. @throws ReadStoreUnavailable */
  readonly needsGrant: () => Promise<boolean>;
};

/** @param hasOneTenant whether the installation has one tenant: with more, folders need a grant */
export async function openFolderOwners(
  readStore: ReadStore,
  hasOneTenant: () => Promise<boolean>,
): Promise<FolderOwners> {
  await readStore.ensureCollection(STATEMENT_FOLDERS);
  const claims: Collection<FolderClaim> = readStore.collection(STATEMENT_FOLDERS);
  return {
    needsGrant: async () => !(await hasOneTenant()),
    async owns({ tenantId, companyId }, topFolder) {
      if (!(await hasOneTenant())) return false;
      const _id = foldText(topFolder);
      const isOwn = (claim: FolderClaim | undefined): boolean =>
        claim?.tenantId === tenantId && (claim.companyId ?? companyId) === companyId;
      const found = await claims.get(_id);
      if (found !== undefined) return isOwn(found);
      if (await claims.compareAndSet({ _id, _position: '1', tenantId, companyId }, null)) return true;
      return isOwn(await claims.get(_id));
    },
  };
}
