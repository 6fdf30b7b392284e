import { MongoClient } from 'mongodb';
import type { TestProject } from 'vitest/node';

/** The connection string with another database's name; everything else is unchanged. */
export function withDatabase(url: string, database: string): string {
  const [, server = url, query = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(url) ?? [];
  return `${server}/${database}${query}`;
}

/** Drops the run's database when the run has ended. */
export function setup(project: TestProject): () => Promise<void> {
  return async () => {
    const url = process.env.MONGODB_TEST_URL;
    const run = project.config.env?.WIRE;
    if (url === undefined || run === undefined) return;
    const client = new MongoClient(withDatabase(url, `bank_${run}`));
    await client.db().dropDatabase();
    await client.close();
  };
}
