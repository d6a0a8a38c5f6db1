import { afterAll, beforeAll } from 'vitest';
import type { Postgres } from '../../../../../test/cluster/postgres.ts';
import { startPostgres } from '../../../../../test/cluster/postgres.ts';
import { accountConformance } from '../../accounts/conformance.ts';
import { alertConformance } from '../../alerts/conformance.ts';
import { deliveryStoreConformance } from '../../record/conformance.ts';
import { rejectionConformance } from '../../record/rejection-conformance.ts';
import { retentionConformance } from '../../record/retention-conformance.ts';
import { deliverySearchConformance } from '../../record/search-conformance.ts';
import { statsConformance } from '../../record/stats-conformance.ts';
import { regulationStoreConformance } from '../../regulations/conformance.ts';
import { settingsConformance } from '../../settings/conformance.ts';
import { openWorld } from './test-world.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop(), 120_000);

const open = () => openWorld(postgres);

settingsConformance('PostgreSQL', open);
accountConformance('PostgreSQL', open);
alertConformance('PostgreSQL', open);
regulationStoreConformance('PostgreSQL', open);
statsConformance('PostgreSQL', open);
rejectionConformance('PostgreSQL', open);
deliveryStoreConformance('PostgreSQL', open);
deliverySearchConformance('PostgreSQL', open);
retentionConformance('PostgreSQL', open);
