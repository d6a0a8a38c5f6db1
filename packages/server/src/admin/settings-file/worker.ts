import { serve } from '../../threads/thread.ts';
import { readPlan } from './check.ts';

/** What is done with settings files on a thread. */
export interface Files {
  readPlan: typeof readPlan;
  close(): void;
}

await serve((): Files => ({ readPlan, close: () => undefined }));
