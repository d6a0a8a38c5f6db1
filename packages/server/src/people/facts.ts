import type { Call } from './call.ts';
import type { Facts } from './contract.ts';
import type { Links } from './identity.ts';

/** The facts in calls, by kind. */
export function factsOf(calls: readonly Call[], { persons }: Links): Facts {
  const facts = { traits: [], groups: [], groupTraits: [], events: [] } as {
    -readonly [K in keyof Facts]: Facts[K][number][];
  };
  for (const [place, { said, at, position, messageId }] of calls.entries()) {
    const person = persons[place] ?? null;
    if (person === null) continue;
    switch (said.type) {
      case 'identify':
        for (const [name, value] of Object.entries(said.traits))
          facts.traits.push({ person, name, value, at, position });
        break;
      case 'group': {
        const { groupId } = said;
        facts.groups.push({ person, groupId });
        for (const [name, value] of Object.entries(said.traits)) {
          facts.groupTraits.push({ groupId, name, value, at, position });
        }
        break;
      }
      case 'alias':
        break;
      default:
        facts.events.push({ person, at, type: said.type, name: said.name, properties: said.properties, messageId });
    }
  }
  return facts;
}
