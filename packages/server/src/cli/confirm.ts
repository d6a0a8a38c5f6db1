import { createInterface } from 'node:readline';
import type { Io } from './io.ts';

/** Asks on the terminal; `question` ends with what can be answered. No terminal, Ctrl-C and Ctrl-D are a no. */
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
