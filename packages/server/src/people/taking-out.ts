import { Fault } from '../core/fault.ts';
import type { ProfileWriter } from './contract.ts';
import { namePersons } from './taking-in.ts';

/**
 * Takes an id out of its person, who keeps what they are and did: it is a person of its own from now on. Of that one nothing is known
 * but the sources that spoke of the two: which of them carried this id was not kept, and a deletion has to reach them all.
 *
 * @returns the two persons.
 * @throws Fault `not_found` for an id that is unknown, `conflict` for a person's only one.
 */
export async function takeOut(writer: ProfileWriter, id: string): Promise<readonly number[]> {
  const [identity] = await writer.identities([id]);
  if (!identity) throw new Fault('not_found', `There is no person ${id}`);
  const { person } = identity;
  if ((await writer.identitiesOf([person])).length === 1)
    throw new Fault('conflict', `${id} is the only id of its person`);
  const [own = 0] = await writer.newPersons(1);
  await writer.putIdentities([{ ...identity, person: own }]);
  const sources = (await writer.sourcesOf([person])).get(person) ?? [];
  await writer.putSeen(Array.from(sources, (sourceId) => ({ person: own, sourceId })));
  await namePersons(writer, [person, own]);
  return [person, own];
}
