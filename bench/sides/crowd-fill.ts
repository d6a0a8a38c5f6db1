/**
 * Makes the people.db that the people scenario begins with, by the engine's own steps: all definitions, then the crowd's
 * past, person after person, and not told. Arguments: a folder, how many persons. Prints a CrowdFill.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { LogEntry } from '../../packages/server/src/core/event.ts';
import { pageOf } from '../../packages/server/src/log/entry-page.ts';
import { Engine } from '../../packages/server/src/people/engine.ts';
import type { EngineStatus } from '../../packages/server/src/people/engine-status.ts';
import { packEntries } from '../../packages/server/src/people/entries.ts';
import { openProfileStore } from '../../packages/server/src/stores/sqlite/profile-store.ts';
import { pastOf } from '../crowd.ts';
import { crowdDefinitions } from '../crowd-definitions.ts';

export interface CrowdFill {
  readonly calls: number;
  readonly seconds: number;
  readonly fileMb: number;
}

const PERSONS_PER_STEP = 500;
const OUTBOX_PAGE = 20_000;

const [folder = '', count] = process.argv.slice(2);
const persons = Number(count);
const now = Date.now();
const startedAt = performance.now();
const engine = new Engine(openProfileStore(folder));
let status: EngineStatus = await engine.look();
await define();
let calls = 0;
for (let first = 0; first < persons; first += PERSONS_PER_STEP) {
  const entries: LogEntry[] = [];
  for (let person = first; person < Math.min(first + PERSONS_PER_STEP, persons); person++)
    entries.push(...entriesOf(person));
  status = await engine.take(
    packEntries(pageOf(entries), () => true),
    now,
  );
  await tellNobody();
  progress(first);
}
await engine.close();
const result: CrowdFill = {
  calls,
  seconds: (performance.now() - startedAt) / 1000,
  fileMb: statSync(join(folder, 'people.db')).size / 2 ** 20,
};
console.log(JSON.stringify(result));

/** Of no person, so each computation is over at once. */
async function define(): Promise<void> {
  for (const { id, name, what } of crowdDefinitions()) {
    const key = id.replaceAll(/\W/g, '_');
    const times = { createdAt: now, updatedAt: now, sentAt: null };
    await engine.put({ id, what, name, key, sourceId: `src_${id}`, ...times, job: null, size: 0 }, true, now);
  }
  do status = await engine.work(now);
  while (status.working);
}

function entriesOf(person: number): readonly LogEntry[] {
  return pastOf(person).map(({ message, ago }) => {
    const position = ++calls;
    const messageId = `past-${String(position).padStart(12, '0')}`;
    const timestamp = now - ago;
    const happened = new Date(timestamp).toISOString();
    const body = Buffer.from(JSON.stringify({ version: 1, ...message, timestamp: happened, messageId }));
    const words = { messageId, type: 'track', name: null, userId: null, integrations: null, unsent: null } as const;
    return { position, sourceId: 'src_past', receivedAt: now, timestamp, body, ...words } as LogEntry;
  });
}

async function tellNobody(): Promise<void> {
  while (status.outbox > 0) {
    const messages = await engine.outbox(OUTBOX_PAGE);
    status = await engine.told(
      messages.map(({ id }) => id),
      now,
    );
  }
}

function progress(first: number): void {
  if (first % 50_000 !== 0 || first === 0) return;
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`${first} persons, ${Math.round(calls / seconds)} calls/s`);
}
