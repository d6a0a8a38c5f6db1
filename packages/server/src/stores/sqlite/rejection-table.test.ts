import { rejectionConformance } from '../../record/rejection-conformance.ts';
import { openWorld } from './test-world.ts';

rejectionConformance('SQLite', () => openWorld());
