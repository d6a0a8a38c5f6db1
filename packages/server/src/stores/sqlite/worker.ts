import { serve } from '../../threads/thread.ts';
import { toFault } from './failure.ts';
import { Reader } from './reader.ts';
import { Writer, type WriterOptions } from './writer.ts';

await serve(
  (role, data) => (role === 'writer' ? new Writer(data as WriterOptions) : new Reader(data as string)),
  toFault,
);
