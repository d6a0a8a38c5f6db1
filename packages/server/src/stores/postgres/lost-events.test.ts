import { expect, onTestFinished, test } from 'vitest';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { resultOf } from '../../record/conformance.ts';
import type { LostMessages } from '../../record/contract.ts';
import { Database } from './database.ts';
import { failLost } from './lost-events.ts';
import { entriesAt, openNode } from './test-node.ts';

const postgres = await sharedPostgres();

test('what was lost fails piece by piece, and none is looked at twice', async () => {
  const url = await postgres.migratedDatabase();
  const { store, deliveries } = await openNode(url);
  const database = new Database({ url, connections: 1, deadline: 20_000 });
  onTestFinished(async () => {
    await Promise.all([store.close(), database.close()]);
  });
  const lane = await store.index.openLane('s', 'd', 0);
  const entries = entriesAt(Array.from({ length: 12_003 }, (_, i) => i + 1));
  await store.index.add(0, entries, 12_003, []);
  await deliveries.settle(entries.slice(6_000, 6_001).map((entry) => resultOf(lane, entry)));
  // Those before this place are never ended: the next look at them finds them again.
  await database.query(`CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER leave_out BEFORE INSERT ON deliveries FOR EACH ROW WHEN (NEW.position <= 100) EXECUTE FUNCTION leave_out()`);
  const lost: LostMessages[] = [];
  const waiting = [{ lane: lane.id, destination: 0, position: 1, received_at: 0 }];
  const note = (messages: LostMessages): unknown => lost.push(messages);
  await failLost(database, waiting, [12_001], { slot: 0, now: 1, lost: note });
  const of = { sourceId: 's', destinationId: 'd' };
  expect(lost).toEqual([4_900, 5_000, 1_999].map((messages) => ({ ...of, messages })));
  expect(await deliveries.counts(['d'])).toMatchObject([{ counts: { failed: 11_899, processed: 1, waiting: 103 } }]);
});
