import guide from '../../../../../docs/sdks.md?raw';
import type { Source } from '../../../../server/src/admin/contract.ts';

/** The code that a client library needs for its first call to this instance, ready to paste. */
export interface Snippet {
  /** The common name of the library. */
  readonly name: string;
  /** The command that installs it; undefined if nothing must be installed. */
  readonly install: string | undefined;
  readonly code: string;
  /** What the user must know besides the code. */
  readonly note: string | undefined;
}

type Snippets = readonly [first: Snippet, ...others: Snippet[]];

/** A section of docs/sdks.md, "A first call": name, command, code and note. */
const SECTION = /^### (.+)\n\n(?:`(.+)`\n\n)?```\w+\n([\s\S]*?)\n```\n(?:\n([^#\n].*)\n)?/gm;

/**
 * Code for each client library, from docs/sdks.md.
 *
 * @param writeKey letters, digits, `-` and `_`: it needs no quoting in any language.
 * @param origin the address of the service for clients: `https://events.example.com`.
 * @param type of the source. For pages, the script tag comes first. The key of a server source is secret: nothing that runs
 * in a page gets it.
 */
export function snippetsFor(writeKey: string, origin: string, type: Source['type']): Snippets {
  const { host, protocol } = new URL(origin);
  const own = (code: string): string =>
    code
      .replaceAll('<WRITE_KEY>', writeKey)
      .replaceAll('https://events.example.com', origin)
      .replaceAll('events.example.com', host)
      .replaceAll("'https'", `'${protocol.replace(':', '')}'`);
  const all = [...guide.matchAll(SECTION)].map(
    ([, name = '', install, code = '', note]): Snippet => ({ name, install, code: own(code), note }),
  );
  const [tag, ...libraries] = all;
  const shown = { web: all, mobile: [...libraries, tag], server: all.filter(({ name }) => !IN_PAGES.has(name)) }[type];
  return shown as [Snippet, ...Snippet[]];
}

/** What sends from a page, where every visitor reads the key. */
const IN_PAGES: ReadonlySet<string> = new Set(['Script tag', 'Browser', '@segment/analytics-next']);
