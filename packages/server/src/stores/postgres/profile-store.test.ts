import { profilesIn } from '../../../../../test/cluster/profiles.ts';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { PeopleWorld } from '../../../../../test/people/world.ts';
import { boundsConformance } from '../../people/bounds-conformance.ts';
import { profileConformance } from '../../people/conformance.ts';
import { countConformance } from '../../people/count-conformance.ts';
import { identityConformance } from '../../people/identity-conformance.ts';
import { pagesConformance } from '../../people/pages-conformance.ts';
import { seenConformance } from '../../people/seen-conformance.ts';

const postgres = await sharedPostgres();

const open = async (): Promise<PeopleWorld> => PeopleWorld.open(1_000, await profilesIn(postgres));
profileConformance('PostgreSQL', open);
identityConformance('PostgreSQL', open);
pagesConformance('PostgreSQL', open);
boundsConformance('PostgreSQL', open);
seenConformance('PostgreSQL', open);
countConformance('PostgreSQL', open, 150);
