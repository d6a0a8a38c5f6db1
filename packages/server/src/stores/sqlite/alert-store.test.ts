import { alertConformance } from '../../alerts/conformance.ts';
import { openWorld } from './test-world.ts';

alertConformance('SQLite', () => openWorld());
