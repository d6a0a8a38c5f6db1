import { eventLogConformance } from '../../log/conformance.ts';
import { logReadingConformance } from '../../log/reading-conformance.ts';
import { logSearchConformance } from '../../log/search-conformance.ts';
import { openWorld, SMALL } from './test-world.ts';

eventLogConformance('SQLite', () => openWorld());
logReadingConformance('SQLite', () => openWorld());
logSearchConformance('SQLite', () => openWorld());
// So small that ids are sealed and entries leave memory all the time.
eventLogConformance('SQLite with small runs and a short tail', () => openWorld(SMALL));
logReadingConformance('SQLite with small runs and a short tail', () => openWorld(SMALL));
