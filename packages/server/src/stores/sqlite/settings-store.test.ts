import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { CRM, settingsConformance } from '../../settings/conformance.ts';
import { livePath } from './live.ts';
import { openWorld } from './test-world.ts';

settingsConformance('SQLite', () => openWorld());

test('a destination of a version that knew no longest age takes any', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  await world.settings.putDestination(CRM);
  await world.stop();
  const db = new DatabaseSync(livePath(world.dataDir));
  db.exec("UPDATE destinations SET json = json_remove(json, '$.maxEventAgeHours')");
  db.close();
  await world.start();
  expect((await world.settings.load()).destinations).toEqual([{ ...CRM, maxEventAgeHours: null }]);
});
