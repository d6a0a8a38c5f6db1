import { serve } from '../../threads/thread.ts';
import { readPlan } from './check.ts';
import { writeSettings } from './document.ts';

/** The functions that the thread offers. */
export interface Files {
  readPlan: typeof readPlan;
  writeSettings: typeof writeSettings;
  close(): void;
}

await serve((): Files => ({ readPlan, writeSettings, close: () => undefined }));
