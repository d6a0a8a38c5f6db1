import { createInterface } from 'node:readline';
import type { Io } from './io.ts';

/** Asks on the terminal. `question` ends with the possible answers. Without a terminal, or after Ctrl-C or Ctrl-D, the answer is no. */
export async function confirmed(io: Io, question: string): Promise<boolean> {
  if (!io.in.isTTY) return false;
  const dialogue = createInterface({ input: io.in, output: io.err });
  try {
    const answer = await new Promise<string>((resolve) => {
      dialogue.once('close', () => resolve(''));
      dialogue.question(question, resolve);
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    dialogue.close();
  }
}
