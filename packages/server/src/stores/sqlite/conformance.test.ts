import { eventLogConformance } from '../../log/conformance.ts';
import { deliveryStoreConformance, retentionConformance } from '../../record/conformance.ts';
import { settingsConformance } from '../../settings/conformance.ts';
import { openWorld, SMALL } from './test-world.ts';

eventLogConformance('SQLite', () => openWorld());

// So small that ids are sealed and entries leave memory all the time.
const open = () => openWorld(SMALL);
eventLogConformance('SQLite with small runs and a short tail', open);
deliveryStoreConformance('SQLite', open);
retentionConformance('SQLite', open);
settingsConformance('SQLite', open);
