import { expect, test } from 'vitest';
import { connected, startPostgres } from './postgres.ts';
import { packagedPostgres } from './postgres-programs.ts';

test('the packaged PostgreSQL serves where the system has none, and keeps what it has when it is killed', async () => {
  const postgres = await startPostgres({ programs: packagedPostgres() });
  try {
    const url = await postgres.createDatabase();
    const query = async (sql: string): Promise<unknown[]> => {
      await using client = await connected(url);
      return (await client.query(sql)).rows;
    };
    await query('CREATE TABLE kept (x int)');
    await query('INSERT INTO kept VALUES (7)');
    await postgres.kill();
    await postgres.start();
    expect(await query('SELECT x FROM kept')).toEqual([{ x: 7 }]);
  } finally {
    await postgres.stop();
  }
}, 120_000);
