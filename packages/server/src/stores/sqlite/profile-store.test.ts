import { PeopleWorld } from '../../../../../test/people/world.ts';
import { profileConformance } from '../../people/conformance.ts';
import { identityConformance } from '../../people/identity-conformance.ts';
import { seenConformance } from '../../people/seen-conformance.ts';

profileConformance('SQLite', () => PeopleWorld.open());
identityConformance('SQLite', () => PeopleWorld.open());
seenConformance('SQLite', () => PeopleWorld.open());
