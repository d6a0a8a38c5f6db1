import type { DefinitionIds, Needs, PersonFacts, PersonName, PersonState, ProfileReader } from './contract.ts';
import type { Person } from './person.ts';

/** A person as they are stored. */
export interface PersonRecord extends PersonName {
  readonly who: Person;
  readonly values: PersonState['values'];
}

export const NOTHING_DECIDED: PersonState = { audiences: new Set(), values: new Map(), due: new Map() };
export const NO_FACTS: PersonFacts = { traits: new Map(), groups: new Map(), events: [] };

/** Those of these persons that exist, with the facts of `needs` and the decisions under some definitions. */
export async function readPersons(
  reader: ProfileReader,
  persons: readonly number[],
  needs: Needs,
  of: DefinitionIds,
  now: number,
): Promise<readonly PersonRecord[]> {
  const names = await reader.names(persons);
  const states = await reader.states(persons, of);
  const facts = await reader.facts(persons, needs, now);
  return names.map((name) => {
    const { audiences, values } = states.get(name.person) ?? NOTHING_DECIDED;
    return { ...name, values, who: { ...(facts.get(name.person) ?? NO_FACTS), audiences } };
  });
}
