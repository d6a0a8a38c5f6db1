import type { PersonState, Persons } from '../../people/contract.ts';
import { mayHave, readNumberMap } from '../../people/number-map.ts';
import { StateDraft } from '../../people/person-draft.ts';
import { isOf } from '../relational/profile-facts.ts';
import type { NumberedDefinitions, ProfileSql } from '../relational/profile-sql.ts';
import { sql } from '../relational/sql.ts';

type Reading = Pick<ProfileSql, 'among' | 'amongUsers' | 'read'>;

/** For at most this many definitions, a row is first checked for their numbers before it is parsed: a new definition is in no row of a million. */
const FEW = 4;

/** The states of persons under these definitions. */
export async function readStates(
  reading: Reading,
  persons: Persons,
  definitions: NumberedDefinitions,
): Promise<ReadonlyMap<number, PersonState>> {
  const states = new Map<number, PersonState>();
  const few = fewOf(definitions);
  const rows = await reading.read<{ person: number; dues: string; held: string }>(
    sql`SELECT person, dues, held FROM state WHERE ${isOf(persons, reading)}`,
  );
  for (const { person, dues, held } of rows) {
    if (few && !mayHave(dues, few) && !mayHave(held, few)) continue;
    states.set(person, stateOf(dues, held, definitions));
  }
  return states;
}

/** The last values sent for user ids, under these definitions. */
export async function readTold(
  { amongUsers, read }: Reading,
  userIds: readonly string[],
  definitions: NumberedDefinitions,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const last = new Map<string, ReadonlyMap<string, string>>();
  const few = fewOf(definitions);
  const rows = await read<{ user_id: string; told: string }>(
    sql`SELECT user_id, told FROM told WHERE ${amongUsers(userIds)}`,
  );
  for (const { user_id: userId, told } of rows) {
    if (few && !mayHave(told, few)) continue;
    const values = new Map<string, string>();
    for (const [number, value] of readNumberMap<string>(told)) {
      const definition = definitions.get(number);
      if (definition) values.set(definition.id, value);
    }
    last.set(userId, values);
  }
  return last;
}

/** Null if there are too many definitions for that check. */
function fewOf(definitions: NumberedDefinitions): readonly number[] | null {
  return definitions.size <= FEW ? [...definitions.keys()] : null;
}

function stateOf(dues: string, held: string, definitions: NumberedDefinitions): PersonState {
  const state = new StateDraft();
  for (const [number, at] of readNumberMap<number>(dues)) {
    const definition = definitions.get(number);
    if (definition) state.due.set(definition.id, at);
  }
  for (const [number, value] of readNumberMap<string>(held)) {
    const definition = definitions.get(number);
    if (definition) state.addValue(definition, value);
  }
  return state;
}
