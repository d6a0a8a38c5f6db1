import { accountConformance } from '../../accounts/conformance.ts';
import { alertConformance } from '../../alerts/conformance.ts';
import { keptAttemptsConformance } from '../../record/attempts-conformance.ts';
import { deliveryStoreConformance } from '../../record/conformance.ts';
import { rejectionConformance } from '../../record/rejection-conformance.ts';
import { retentionConformance } from '../../record/retention-conformance.ts';
import { deliverySearchConformance } from '../../record/search-conformance.ts';
import { settingsConformance } from '../../settings/conformance.ts';
import { openWorld, SMALL } from './test-world.ts';

const open = () => openWorld();
const openSmall = () => openWorld(SMALL);

settingsConformance('SQLite', open);
accountConformance('SQLite', open);
alertConformance('SQLite', open);
rejectionConformance('SQLite', open);
deliveryStoreConformance('SQLite', openSmall);
deliverySearchConformance('SQLite', openSmall);
keptAttemptsConformance('SQLite', open);
retentionConformance('SQLite', openSmall);
