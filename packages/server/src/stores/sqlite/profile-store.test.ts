import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { PeopleWorld } from '../../../../../test/people/world.ts';
import { boundsConformance } from '../../people/bounds-conformance.ts';
import { profileConformance } from '../../people/conformance.ts';
import { countConformance } from '../../people/count-conformance.ts';
import { identityConformance } from '../../people/identity-conformance.ts';
import { pagesConformance } from '../../people/pages-conformance.ts';
import { seenConformance } from '../../people/seen-conformance.ts';
import { openProfileFile, openProfileReader, profilePath } from './profile-store.ts';

profileConformance('SQLite', () => PeopleWorld.open());
identityConformance('SQLite', () => PeopleWorld.open());
pagesConformance('SQLite', () => PeopleWorld.open());
boundsConformance('SQLite', () => PeopleWorld.open());
seenConformance('SQLite', () => PeopleWorld.open());
countConformance('SQLite', () => PeopleWorld.open(), 400);

test('a file of before tells who is a member, not since when', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  openProfileFile(dir).close();
  const before = new DatabaseSync(profilePath(dir));
  before.exec(`DROP TABLE member;
    CREATE TABLE member (definition INTEGER NOT NULL, person INTEGER NOT NULL, PRIMARY KEY (definition, person)) WITHOUT ROWID;
    INSERT INTO definition (number, id, audience, json) VALUES (7, 'aud_1', 1, '{}');
    INSERT INTO person VALUES (1, 'u1');
    INSERT INTO state VALUES (1, NULL, '[]', '[7,"true"]');
    INSERT INTO member VALUES (7, 1)`);
  before.close();
  openProfileFile(dir).close();
  const { reader, close } = openProfileReader(dir);
  onTestFinished(close);
  expect(await reader.latestMembers('aud_1', null, 9)).toEqual([
    { person: 1, userId: 'u1', value: 'true', since: null },
  ]);
});
