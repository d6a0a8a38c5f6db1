import { serve } from '../../threads/thread.ts';
import type { BackupJobOptions } from './backup-job.ts';
import { releaseMemory } from './database.ts';
import { toFault } from './failure.ts';
import type { ReaderOptions } from './partition-files.ts';
import type { WriterOptions } from './writer.ts';

// A thread loads what its role needs: readers have half of the writer's modules.
await serve(
  async (role, data) => {
    if (role === 'writer') return new (await import('./writer.ts')).Writer(data as WriterOptions);
    if (role === 'backup') return new (await import('./backup-job.ts')).BackupJob(data as BackupJobOptions);
    return new (await import('./reader.ts')).Reader(data as ReaderOptions);
  },
  toFault,
  releaseMemory,
);
