import { expect, test } from 'vitest';
import { holdsTheModel } from './model.ts';
import { PeopleWorld } from './world.ts';

const RUNS = 100;

test(
  'whatever happens, in whatever order, it is told what is true, once, and nothing is missed',
  {
    timeout: 600_000,
  },
  () => expect(holdsTheModel(() => PeopleWorld.open(2), RUNS)).resolves.toBeUndefined(),
);
