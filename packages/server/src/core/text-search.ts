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
  readonly #wordsOnly: boolean;

  /** @param wordsOnly True if it must be a word of its own: `123` is one in `"order":123`, and none in `user-123`. */
  constructor(text: string, wordsOnly = false) {
    this.#wordsOnly = wordsOnly;
    this.#texts = [...new Set([JSON.stringify(text).slice(1, -1), text])];
    this.needles = this.#texts.map((each) => encoder.encode(each));
    this.folded = foldCase(text);
  }

  /** Null where the event does not have the text, or was removed. */
  find({ position, sourceId, messageId, type, name, userId, receivedAt, body }: Searched): FoundText | null {
    if (body.byteLength === 0) return null;
    const text = decoder.decode(body);
    const named = this.#nameOf(messageId, userId, name, text);
    // A word of its own in the body says more than a part of an id.
    const inBody = named?.isWord ? null : this.#inBody(text);
    const best = named === null || inBody?.isWord ? inBody : named;
    if (best === null || (this.#wordsOnly && !best.isWord)) return null;
    const { why, excerpt } = best;
    return { position, sourceId, messageId, type, name, userId, receivedAt, why, excerpt };
  }

  #nameOf(messageId: string, userId: string | null, name: string | null, text: string): Found | null {
    const as = (why: FoundIn, words: string): Found => ({ ...placeOf(this.folded, words), why, excerpt: null });
    const [id, user, event] = [foldCase(messageId), foldCase(userId ?? ''), foldCase(name ?? '')];
    const found: Found[] = [];
    if (id.startsWith(this.folded)) found.push(as('messageId', id));
    if (user.startsWith(this.folded)) found.push(as('userId', user));
    const anonymous = text.indexOf(`"anonymousId":"${this.#texts[0]}`);
    if (anonymous >= 0) found.push(as('anonymousId', foldCase(text.slice(anonymous).split('"', 4)[3] ?? '')));
    if (event.includes(this.folded)) found.push(as('event', event));
    return found.find(({ isWord }) => isWord) ?? found[0] ?? null;
  }

  #inBody(text: string): Found | null {
    const looked = /^\d+$/.test(this.folded) ? text.replace(MACHINE_MADE, (made) => ' '.repeat(made.length)) : text;
    for (const needle of this.#texts) {
      const { at, isWord } = placeOf(needle, looked);
      if (at < 0) continue;
      const [from, to] = [Math.max(0, at - AROUND), at + needle.length + AROUND];
      const excerpt = `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`.toWellFormed();
      return { why: 'payload', excerpt, isWord };
    }
    return null;
  }
}

/** Where the needle stands as a word of its own, else where it stands first; -1 if nowhere. */
function placeOf(needle: string, text: string): { readonly at: number; readonly isWord: boolean } {
  const first = text.indexOf(needle);
  for (let at = first; at >= 0; at = text.indexOf(needle, at + 1)) {
    if (!OF_A_WORD.test(text[at - 1] ?? '') && !OF_A_WORD.test(text[at + needle.length] ?? ''))
      return { at, isWord: true };
  }
  return { at: first, isWord: false };
}

interface Found extends Pick<FoundText, 'why' | 'excerpt'> {
  /** Whether the text is a word of its own there. */
  readonly isWord: boolean;
}

type Searched = Omit<FoundText, 'why' | 'excerpt'> & Pick<LogEntry, 'body'>;
