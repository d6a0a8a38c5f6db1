import { afterAll } from 'vitest';
import { type Postgres, startPostgres } from './postgres.ts';

/** A server for all tests of a file, stopped after the last of them. */
export async function sharedPostgres(): Promise<Postgres> {
  const postgres = await startPostgres();
  afterAll(() => postgres.stop(), 120_000);
  return postgres;
}
