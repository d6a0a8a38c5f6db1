import { settingsConformance } from '../../settings/conformance.ts';
import { openWorld } from './test-world.ts';

settingsConformance('SQLite', () => openWorld());
