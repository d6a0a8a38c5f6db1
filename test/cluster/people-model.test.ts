import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdsTheModel } from '../people/model.ts';
import { PeopleWorld } from '../people/world.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { profilesIn } from './profiles.ts';

const RUNS = 15;

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());

test(
  'on PostgreSQL too it is told what is true, once, and nothing is missed, whatever happens',
  {
    timeout: 600_000,
  },
  () =>
    expect(holdsTheModel(async () => PeopleWorld.open(2, await profilesIn(postgres)), RUNS)).resolves.toBeUndefined(),
);
