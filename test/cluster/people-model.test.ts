import { expect, test } from 'vitest';
import { holdsTheModel } from '../people/model.ts';
import { PeopleWorld } from '../people/world.ts';
import { profilesIn } from './profiles.ts';
import { sharedPostgres } from './shared-postgres.ts';

const RUNS = 15;

const postgres = await sharedPostgres();

test(
  'on PostgreSQL too it is told what is true, once, and nothing is missed, whatever happens',
  {
    timeout: 600_000,
  },
  () =>
    expect(holdsTheModel(async () => PeopleWorld.open(2, await profilesIn(postgres)), RUNS)).resolves.toBeUndefined(),
);
