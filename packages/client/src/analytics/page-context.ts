/** What every call says about its page. */
export interface PageContext {
  readonly path: string;
  readonly referrer: string;
  readonly search: string;
  readonly title: string;
  readonly url: string;
}

/** A page as the stock snippet notes it beside a call that is queued. */
interface Note {
  readonly __t: 'bpc';
  /** The canonical link, as it is written. */
  readonly c?: string | null | undefined;
  readonly p: string;
  readonly u: string;
  readonly s: string;
  readonly t: string;
  readonly r: string;
}

/** The page now; or, where the last argument is the snippet's note, the page then. Takes the note from the arguments. */
export function takePage(args: unknown[]): PageContext {
  const isNoted = (args.at(-1) as Partial<Note> | undefined)?.__t === 'bpc';
  const { c, p, u, s, t, r } = isNoted ? (args.pop() as Note) : note();
  // A canonical link names the page, except for the query that it does not have.
  let canonical: URL | undefined;
  try {
    // Not every browser has `URL.canParse`.
    if (c) canonical = new URL(c, u);
  } catch {
    // It names nothing.
  }
  return {
    path: canonical?.pathname ?? p,
    referrer: r,
    search: s,
    title: t,
    url: canonical ? canonical.href + (canonical.search ? '' : s) : u.replace(/#.*/, ''),
  };
}

function note(): Note {
  const { href, pathname, search } = location;
  const c = document.querySelector('link[rel=canonical]')?.getAttribute('href');
  return { __t: 'bpc', c, p: pathname, u: href, s: search, t: document.title, r: document.referrer };
}

/** The context of a call: what is known here, and over it what the call says itself. */
export function contextOf(page: object, own: Readonly<Record<string, unknown>>): object {
  const seen = { ...page, ...Object(own['page']) };
  const { userAgent, userAgentData, language } = navigator as Navigator & { readonly userAgentData?: object };
  const { search } = seen;
  return {
    userAgent,
    userAgentData,
    locale: language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    campaign: typeof search === 'string' && search !== '' ? campaignOf(search) : undefined,
    ...own,
    page: seen,
  };
}

/** `utm_campaign` is the campaign's name; every other `utm_…` keeps its own. */
function campaignOf(search: string): object {
  const pairs = [...new URLSearchParams(search)].filter(([name]) => /^utm_./.test(name));
  return Object.fromEntries(pairs.map(([name, value]) => [name === 'utm_campaign' ? 'name' : name.slice(4), value]));
}
