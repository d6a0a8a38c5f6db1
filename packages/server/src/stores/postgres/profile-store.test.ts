import { afterAll, beforeAll } from 'vitest';
import { type Postgres, startPostgres } from '../../../../../test/cluster/postgres.ts';
import { profileConformance } from '../../people/conformance.ts';
import { migrate } from './migrations.ts';
import { openProfileStores } from './profile-store.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());

profileConformance('PostgreSQL', async () => {
  const url = await postgres.createDatabase();
  await migrate(url);
  let stores = openProfileStores(url);
  await stores.leading.lead();
  const left: (typeof stores)[] = [];
  return {
    get store() {
      return stores.leading;
    },
    async crash() {
      left.push(stores);
      stores = openProfileStores(url);
      await stores.leading.lead();
    },
    async close() {
      await Promise.all([...left, stores].map((each) => each.close()));
    },
  };
});
