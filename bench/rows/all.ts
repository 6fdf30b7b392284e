import type { Row } from '../row.ts';
import { analytics } from './analytics.ts';
import { asOfHttp } from './as-of-http.ts';
import { bytes } from './bytes.ts';
import { catchUp } from './catch-up.ts';
import { changes } from './changes.ts';
import { command, commandApi, commandEmmett, commandRoles } from './command.ts';
import { emmettEsdbProjection } from './emmett-esdb-projection.ts';
import { emmettEsdbAppend, emmettEsdbAppend64, emmettEsdbRead, emmettEsdbStreams } from './emmett-eventstore.ts';
import { emmettProjection } from './emmett-projection.ts';
import { emmettAppend, emmettAppend64, emmettRead, emmettStreams } from './emmett-sqlite.ts';
import { exportBeside, exportRows } from './exports.ts';
import { filters } from './filters.ts';
import { getOne } from './get-one.ts';
import { ingestEmbedded } from './ingest-embedded.ts';
import { ingestEventStore } from './ingest-eventstore.ts';
import { list, list64 } from './list.ts';
import { memory } from './memory.ts';
import { neighbours } from './neighbours.ts';
import { ownWrites } from './own-writes.ts';
import { reSync } from './re-sync.ts';
import { rebuild } from './rebuild.ts';
import { rules } from './rules.ts';
import { backfillRun, previewRun } from './runs.ts';
import { statementFiles } from './statement-files.ts';
import { sums } from './sums.ts';
import { asOfList, entityThen } from './then.ts';
import { threads } from './threads.ts';
import { webhooks } from './webhooks.ts';
import { year } from './year.ts';

/** Every row, in the order they run. */
export const rows: readonly Row[] = [
  ingestEmbedded,
  ingestEventStore,
  catchUp,
  rebuild,
  command,
  commandApi,
  commandEmmett,
  commandRoles,
  getOne,
  list,
  list64,
  exportRows,
  exportBeside,
  filters,
  analytics,
  rules,
  reSync,
  ownWrites,
  asOfList,
  asOfHttp,
  entityThen,
  previewRun,
  backfillRun,
  memory,
  bytes,
  sums,
  threads,
  neighbours,
  changes,
  webhooks,
  year,
  statementFiles,
  emmettAppend,
  emmettAppend64,
  emmettStreams,
  emmettRead,
  emmettProjection,
  emmettEsdbAppend,
  emmettEsdbAppend64,
  emmettEsdbStreams,
  emmettEsdbRead,
  emmettEsdbProjection,
];
