import type { PersonState, Persons } from '../../people/contract.ts';
import { StateDraft } from '../../people/person-draft.ts';
import type { NumberedDefinitions, ProfileSql } from './profile-sql.ts';

/** The states of persons under these definitions. */
export async function readStates(
  { decided }: Pick<ProfileSql, 'decided'>,
  persons: Persons,
  definitions: NumberedDefinitions,
): Promise<ReadonlyMap<number, PersonState>> {
  const states = new Map<number, PersonState>();
  if (definitions.size === 0 || ('length' in persons && persons.length === 0)) return states;
  for (const { person, held, dues } of await decided(persons, [...definitions.keys()])) {
    const state = new StateDraft();
    for (const [number, value] of held) {
      const definition = definitions.get(number);
      if (definition) state.addValue(definition, value);
    }
    for (const [number, at] of dues) {
      const definition = definitions.get(number);
      if (definition) state.due.set(definition.id, at);
    }
    states.set(person, state);
  }
  return states;
}

/** The last values sent for user ids, under these definitions. */
export async function readTold(
  { told }: Pick<ProfileSql, 'told'>,
  userIds: readonly string[],
  definitions: NumberedDefinitions,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const last = new Map<string, ReadonlyMap<string, string>>();
  if (userIds.length === 0 || definitions.size === 0) return last;
  for (const [userId, values] of await told(userIds, [...definitions.keys()])) {
    const known = Array.from(values, ([number, value]) => [definitions.get(number)?.id, value] as const);
    last.set(userId, new Map(known.flatMap(([id, value]) => (id === undefined ? [] : [[id, value]]))));
  }
  return last;
}
