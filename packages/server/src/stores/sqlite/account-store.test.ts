import { accountConformance } from '../../accounts/conformance.ts';
import { openWorld } from './test-world.ts';

accountConformance('SQLite', () => openWorld());
