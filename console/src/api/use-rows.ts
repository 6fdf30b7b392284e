import { useEffect, useMemo } from 'preact/hooks';
import { type FetchPage, type TableRows, tableRows } from '../parts/table-rows.ts';

/** The rows of a list, another list for another key; what an old one still loads is ended. */
export function useRows<Row>(key: string, fetchPage: FetchPage<Row>): TableRows<Row> {
  // the key says what is fetched
  const rows = useMemo(() => tableRows(fetchPage), [key]);
  useEffect(() => () => rows.stop(), [rows]);
  return rows;
}
