import { deliveryStoreConformance } from '../../record/conformance.ts';
import { retentionConformance } from '../../record/retention-conformance.ts';
import { deliverySearchConformance } from '../../record/search-conformance.ts';
import { openWorld, SMALL } from './test-world.ts';

const open = () => openWorld(SMALL);

deliveryStoreConformance('SQLite', open);
deliverySearchConformance('SQLite', open);
retentionConformance('SQLite', open);
