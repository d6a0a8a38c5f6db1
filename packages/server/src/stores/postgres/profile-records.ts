import type { PersonState, Persons } from '../../people/contract.ts';
import { readNumberMap } from '../../people/number-map.ts';
import { draftIn, StateDraft } from '../../people/person-draft.ts';
import { isOf } from '../relational/profile-facts.ts';
import type { NumberedDefinitions, ProfileSql } from '../relational/profile-sql.ts';
import { sql } from '../relational/sql.ts';
import { keyOf } from './profile-keys.ts';

type Reading = Pick<ProfileSql, 'among' | 'amongUsers' | 'read'>;

/** The states of persons under these definitions. */
export async function readStates(
  reading: Reading,
  persons: Persons,
  definitions: NumberedDefinitions,
): Promise<ReadonlyMap<number, PersonState>> {
  const drafts = new Map<number, StateDraft>();
  if (definitions.size === 0 || ('length' in persons && persons.length === 0)) return drafts;
  const draftOf = (person: number): StateDraft => draftIn(drafts, person, () => new StateDraft());
  const { among, read } = reading;
  const isTheirs = isOf(persons, reading);
  const values = await read<{ person: number; definition: number; value: string }>(
    sql`SELECT person, definition, value FROM profile_values
      WHERE ${isTheirs} AND ${among(sql`definition`, [...definitions.keys()])}`,
  );
  for (const { person, definition, value } of values) {
    const found = definitions.get(definition);
    if (found) draftOf(person).addValue(found, value);
  }
  const dues = await read<{ person: number; dues: string }>(
    sql`SELECT person, dues FROM profile_dues WHERE ${isTheirs}`,
  );
  for (const { person, dues: json } of dues) {
    for (const [definition, at] of readNumberMap<number>(json)) {
      const found = definitions.get(definition);
      if (found) draftOf(person).due.set(found.id, at);
    }
  }
  return drafts;
}

/** The last values sent for user ids, under these definitions. */
export async function readTold(
  { among, amongUsers, read }: Reading,
  userIds: readonly string[],
  definitions: NumberedDefinitions,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const told = new Map<string, Map<string, string>>();
  if (userIds.length === 0 || definitions.size === 0) return told;
  const byKey = new Map(userIds.map((userId) => [keyOf(userId), userId]));
  const rows = await read<{ user_key: string; definition: number; value: string }>(
    sql`SELECT user_key, definition, value FROM profile_told
      WHERE ${amongUsers(userIds)} AND ${among(sql`definition + 0`, [...definitions.keys()])}`,
  );
  for (const { user_key, definition, value } of rows) {
    const found = definitions.get(definition);
    const userId = byKey.get(user_key);
    if (found && userId !== undefined) draftIn(told, userId, () => new Map<string, string>()).set(found.id, value);
  }
  return told;
}
