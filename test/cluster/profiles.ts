import { migrate } from '../../packages/server/src/stores/postgres/migrations.ts';
import { openProfileStores, type ProfileStores } from '../../packages/server/src/stores/postgres/profile-store.ts';
import type { ProfilePlace } from '../people/world.ts';
import type { Postgres } from './postgres.ts';

/** Profiles in a database of their own; each that opens them leads. */
export async function profilesIn(postgres: Postgres): Promise<ProfilePlace> {
  const url = await postgres.migratedDatabase();
  await migrate(url);
  const opened: ProfileStores[] = [];
  const open: ProfilePlace['open'] = async () => {
    const stores = openProfileStores(url);
    opened.push(stores);
    await stores.leading.lead();
    return stores.leading;
  };
  return {
    open,
    afterCrash: open,
    async remove() {
      await Promise.all(opened.map((stores) => stores.close()));
    },
  };
}
