import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { openReplays, type Replays } from '../audit/replays.ts';
import { openSealingKey, type SealingKey } from '../audit/seal.ts';
import type { Config } from '../config.ts';
import type { EventLog } from '../log/log.ts';
import { projections } from '../projections/all.ts';
import { openReadModels, type ReadModels } from '../projections/engine/read-models.ts';
import { tenants } from '../projections/tenants.ts';
import type { BankProvider } from '../providers/bank-provider.ts';
import { createProviders } from '../providers/catalogue.ts';
import { openConnectorLogs } from '../providers/connector-logs.ts';
import { openFolderOwners } from '../providers/statement-files/folder-owners.ts';
import { type LargeFiles, openLargeFiles } from '../providers/statement-files/large-files.ts';
import { openVault } from '../providers/vault.ts';
import { openRuleBook, type RuleBook } from '../queries/rule-book.ts';
import type { ReactorServices, Timing } from '../reactors/reactor-services.ts';
import type { ReadStore } from '../readstore/read-store.ts';
import type { Clock } from '../shared/clock.ts';
import { derivedKey } from '../shared/derived-key.ts';
import type { NewId } from '../shared/ids.ts';
import { createLoopShare, type LoopShare } from '../traffic/loop-share.ts';

/** What answering requests and working in the background both use. Where these are two threads, each has its own. */
export type Parts = {
  readonly readModels: ReadModels;
  readonly services: ReactorServices;
  readonly largeFiles: LargeFiles;
  readonly ruleBook: RuleBook;
  readonly replays: Replays;
  readonly sealingKey: SealingKey;
  readonly loopShare: LoopShare;
};

/** @throws ReadStoreUnavailable */
export async function openParts(options: {
  readonly config: Config;
  readonly tokenKey: Buffer;
  readonly encryptionKey: Buffer;
  readonly log: EventLog;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly random: () => number;
  readonly logger: Logger;
  readonly owner: string;
  readonly timing: Timing;
  /** See `openLargeFiles`. */
  readonly spoolFolder: string | null;
  readonly banks: readonly BankProvider[];
}): Promise<Parts> {
  const { config, tokenKey, encryptionKey, log, readStore, clock, newId, random, logger, owner, timing } = options;
  const readModels = await openReadModels({ readStore, projections, clock });
  const hasOneTenant = async () => (await readModels.of(tenants).count([], 2)) < 2;
  const largeFiles = openLargeFiles({ folder: options.spoolFolder });
  const providers = createProviders({
    demoBank: config.demoBank,
    statementsDir: resolve(config.statementsDir),
    folderOwners: await openFolderOwners(readStore, hasOneTenant),
    largeFiles,
    others: options.banks,
  });
  const loopShare = createLoopShare();
  return {
    readModels,
    services: {
      log,
      readStore,
      readModels,
      providers,
      vault: await openVault({ readStore, key: encryptionKey, clock, newId }),
      connectorLogs: await openConnectorLogs({ readStore, clock }),
      clock,
      newId,
      random,
      logger,
      owner,
      timing,
      pace: loopShare.piece,
    },
    largeFiles,
    ruleBook: openRuleBook(readModels),
    replays: await openReplays(readStore, clock),
    sealingKey: openSealingKey(derivedKey(tokenKey, 'seal')),
    loopShare,
  };
}
