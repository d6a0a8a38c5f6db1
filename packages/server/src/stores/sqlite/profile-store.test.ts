import { PeopleWorld } from '../../../../../test/people/world.ts';
import { profileConformance } from '../../people/conformance.ts';

profileConformance('SQLite', () => PeopleWorld.open());
