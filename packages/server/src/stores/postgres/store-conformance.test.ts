import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import { accountConformance } from '../../accounts/conformance.ts';
import { alertConformance } from '../../alerts/conformance.ts';
import { keptAttemptsConformance } from '../../record/attempts-conformance.ts';
import { deliveryStoreConformance } from '../../record/conformance.ts';
import { rejectionConformance } from '../../record/rejection-conformance.ts';
import { retentionConformance } from '../../record/retention-conformance.ts';
import { deliverySearchConformance } from '../../record/search-conformance.ts';
import { statsConformance } from '../../record/stats-conformance.ts';
import { regulationStoreConformance } from '../../regulations/conformance.ts';
import { settingsConformance } from '../../settings/conformance.ts';
import { openWorld } from './test-world.ts';

const postgres = await sharedPostgres();

const open = () => openWorld(postgres);

settingsConformance('PostgreSQL', open);
accountConformance('PostgreSQL', open);
alertConformance('PostgreSQL', open);
regulationStoreConformance('PostgreSQL', open);
statsConformance('PostgreSQL', open);
rejectionConformance('PostgreSQL', open);
deliveryStoreConformance('PostgreSQL', open);
deliverySearchConformance('PostgreSQL', open);
keptAttemptsConformance('PostgreSQL', open);
retentionConformance('PostgreSQL', open);
