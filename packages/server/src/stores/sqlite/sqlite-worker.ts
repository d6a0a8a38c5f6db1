import { serve } from '../../threads/thread.ts';
import { BackupJob, type BackupJobOptions } from './backup-job.ts';
import { releaseMemory } from './database.ts';
import { toFault } from './failure.ts';
import type { ReaderOptions } from './partition-files.ts';
import { Reader } from './reader.ts';
import { Writer, type WriterOptions } from './writer.ts';

await serve(
  (role, data) => {
    if (role === 'writer') return new Writer(data as WriterOptions);
    if (role === 'backup') return new BackupJob(data as BackupJobOptions);
    return new Reader(data as ReaderOptions);
  },
  toFault,
  releaseMemory,
);
