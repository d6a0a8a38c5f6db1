import type { LogEntry } from './event.ts';
import { foldCase } from './fold-case.ts';

/** Which part of an event has the text; `payload` is the rest of its body. */
export type FoundIn = 'messageId' | 'userId' | 'anonymousId' | 'event' | 'payload';

/** An event in which the text was found. */
export interface FoundText
  extends Pick<LogEntry, 'position' | 'sourceId' | 'messageId' | 'type' | 'name' | 'userId' | 'receivedAt'> {
  readonly why: FoundIn;
  /** The part of the body around the text; null where the text is not in the body. */
  readonly excerpt: string | null;
}

/** Characters of the body shown on each side of the text. */
const AROUND = 60;

/** Machine-made times and ids contain nearly every short number: a number that a person looks for is not looked for in them. */
const MACHINE_MADE = /\d{4}-\d\d-\d\dT[\d:.]+Z|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

/** What makes a number or a word a part of a longer one: `123` in `user-123` and `1230`. */
const OF_A_WORD = /[\p{L}\p{N}_-]/u;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * A text that is looked for in events: in stored bodies (JSON), upper and lower case distinguished; in message ids, user ids and
 * event names, without regard to the case of ASCII letters. A store looks for `needles` and `folded` in its own way, and calls
 * `find` for each event that may have them.
 */
export class TextSearch {
  /** The byte sequences to look for in a body: the text as a JSON string has it, and as it was typed where that differs. */
  readonly needles: readonly Uint8Array[];
  /** The text in lower case. */
  readonly folded: string;
  readonly #texts: readonly string[];

  constructor(text: string) {
    this.#texts = [...new Set([JSON.stringify(text).slice(1, -1), text])];
    this.needles = this.#texts.map((each) => encoder.encode(each));
    this.folded = foldCase(text);
  }

  /** Null where the event does not have the text, or was removed. */
  find({ position, sourceId, messageId, type, name, userId, receivedAt, body }: Searched): FoundText | null {
    if (body.byteLength === 0) return null;
    const text = decoder.decode(body);
    const why = this.#nameOf(messageId, userId, name, text);
    const excerpt = why === null ? this.#excerpt(text) : null;
    if (why === null && excerpt === null) return null;
    return { position, sourceId, messageId, type, name, userId, receivedAt, why: why ?? 'payload', excerpt };
  }

  #nameOf(messageId: string, userId: string | null, name: string | null, text: string): FoundIn | null {
    if (foldCase(messageId).startsWith(this.folded)) return 'messageId';
    if (userId !== null && foldCase(userId).startsWith(this.folded)) return 'userId';
    if (text.includes(`"anonymousId":"${this.#texts[0]}`)) return 'anonymousId';
    return name !== null && foldCase(name).includes(this.folded) ? 'event' : null;
  }

  #excerpt(text: string): string | null {
    const looked = /^\d+$/.test(this.folded) ? text.replace(MACHINE_MADE, (made) => ' '.repeat(made.length)) : text;
    for (const needle of this.#texts) {
      const at = placeOf(needle, looked);
      if (at < 0) continue;
      const [from, to] = [Math.max(0, at - AROUND), at + needle.length + AROUND];
      return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`.toWellFormed();
    }
    return null;
  }
}

/** Where the needle stands as a word of its own, else where it stands first; -1 if nowhere. */
function placeOf(needle: string, text: string): number {
  const first = text.indexOf(needle);
  for (let at = first; at >= 0; at = text.indexOf(needle, at + 1)) {
    if (!OF_A_WORD.test(text[at - 1] ?? '') && !OF_A_WORD.test(text[at + needle.length] ?? '')) return at;
  }
  return first;
}

type Searched = Omit<FoundText, 'why' | 'excerpt'> & Pick<LogEntry, 'body'>;
