/** What every call carries about its page. */
export interface PageContext {
  readonly path: string;
  readonly referrer: string;
  readonly search: string;
  readonly title: string;
  readonly url: string;
}

/** What the stock snippet records of the page, as the last argument of a queued call. */
interface Note {
  readonly __t: 'bpc';
  /** The `href` of the canonical link, unchanged. */
  readonly c?: string | null | undefined;
  readonly p: string;
  readonly u: string;
  readonly s: string;
  readonly t: string;
  readonly r: string;
}

/** The current page; or the recorded page, if the last argument is the snippet's note. Removes the note from the arguments. */
export function takePage(args: unknown[]): PageContext {
  const isNoted = (args.at(-1) as Partial<Note> | undefined)?.__t === 'bpc';
  const { c, p, u, s, t, r } = isNoted ? (args.pop() as Note) : note();
  // The canonical link replaces path and URL. If it has no query, the page's own query is kept.
  let canonical: URL | undefined;
  try {
    // Older browsers have no `URL.canParse`.
    if (c) canonical = new URL(c, u);
  } catch {
    // The link is not a valid URL: it is ignored.
  }
  return {
    path: canonical?.pathname ?? p,
    // An element named `referrer` or `title` takes the place of the document's property.
    referrer: typeof r === 'string' ? r : '',
    search: s,
    title: typeof t === 'string' ? t : '',
    url: canonical ? canonical.href + (canonical.search ? '' : s) : u.replace(/#.*/, ''),
  };
}

function note(): Note {
  const { href, pathname, search } = location;
  const c = document.querySelector('link[rel=canonical]')?.getAttribute('href');
  return { __t: 'bpc', c, p: pathname, u: href, s: search, t: document.title, r: document.referrer };
}

/** The context of a call. The call's own context replaces what the browser gives. */
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

/** `utm_campaign` becomes the campaign's `name`; every other `utm_x` becomes `x`. */
function campaignOf(search: string): object {
  const pairs = [...new URLSearchParams(search)].filter(([name]) => /^utm_./.test(name));
  return Object.fromEntries(pairs.map(([name, value]) => [name === 'utm_campaign' ? 'name' : name.slice(4), value]));
}
