/**
 * The script that a page loads from the service: `ENDPOINT/analytics.js/v1/WRITE_KEY/analytics.min.js`. It replaces
 * `window.analytics`, the array in which the snippet queued calls, and makes these calls.
 */
import type { Integrations } from '../calls.ts';
import { Analytics } from './analytics.ts';
import { IdentityStore } from './identity-store.ts';
import { logger, openSender } from './sender.ts';
import { watch } from './watch.ts';

type Call = readonly [method: string, ...args: unknown[]];

/** What the second argument of `analytics.load` may say. */
interface LoadOptions {
  readonly integrations?: Integrations;
  /** Added to the context of every call, for example `consent`; the call's own values win. */
  readonly context?: object;
  readonly initialPageview?: boolean;
  /** When true, nothing is sent and nothing is stored. */
  readonly disable?: boolean | ((settings: object) => boolean);
  readonly disableClientPersistence?: boolean;
}

/** The array in which the snippet queues calls. */
interface Queue extends Array<Call> {
  readonly initialized?: boolean;
  readonly methods?: readonly string[];
  readonly _loadOptions?: LoadOptions;
}

/** Methods of Segment's library that do nothing here. */
const WITHOUT_EFFECT = ['addDestinationMiddleware', 'addIntegrationMiddleware', 'debug', 'register'];

/** Methods that run before all other queued calls, because they change how those are handled. */
const FIRST = ['addSourceMiddleware', 'on', 'once', 'setAnonymousId'];

const own = document.currentScript;
// Content of the page may have an element of that name, with an address of its own.
const tag = (
  own instanceof HTMLScriptElement ? own : document.querySelector('script[src*="/analytics.js/v1/"]')
) as HTMLScriptElement | null;
const globals = globalThis as unknown as Record<string, Queue | Analytics | undefined>;
const key = tag?.dataset['globalSegmentAnalyticsKey'] ?? 'analytics';
const known = globals[key];
// If a page includes the script twice, only the first one installs itself.
if (known?.initialized !== true) install((known ?? []) as Queue);

function install(queue: Queue): void {
  const [, endpoint = '', writeKey = ''] = /^(.*)\/analytics\.js\/v1\/([^/]+)\//.exec(tag?.src ?? '') ?? [];
  const { integrations, context, initialPageview, disable, disableClientPersistence } = queue._loadOptions ?? {};
  const isOff = typeof disable === 'function' ? disable({ integrations: {} }) : disable === true;
  const warn = (line: string): void => logger.warn(`millrace: ${line}`);
  if (!writeKey) warn("not sent: the script's address has no write key");
  const url = `${endpoint}/v1/batch`;
  const options = { writeKey, url, warn, context, integrations: integrations && booleans(integrations) };
  const send = isOff || !writeKey ? null : openSender(options);
  const analytics = new Analytics(send, new IdentityStore(!isOff && !disableClientPersistence), warn);
  globals[key] = analytics;

  const methods = analytics as unknown as Record<string, unknown>;
  const ignore = async (): Promise<Analytics> => analytics;
  const clicks = watch.bind(null, analytics, 'click');
  const submits = watch.bind(null, analytics, 'submit');
  Object.assign(methods, {
    load: ignore,
    initialize: ignore,
    trackLink: clicks,
    trackClick: clicks,
    trackForm: submits,
    trackSubmit: submits,
  });
  for (const name of [...WITHOUT_EFFECT, ...(queue.methods ?? [])]) {
    methods[name] ??= () => {
      warn(`${name} has no effect`);
      methods[name] = ignore;
      return ignore();
    };
  }

  if (initialPageview) queue.unshift(['page']);
  const rank = ([method]: Call): number => (FIRST.includes(method) ? 0 : 1);
  const calls = queue.splice(0).sort((a, b) => rank(a) - rank(b));
  // Code that kept a reference to the array still calls its `push`.
  queue.push = (call: Call) => {
    void analytics.push(call);
    return 0;
  };
  for (const call of calls) void analytics.push(call);
}

/** Segment allows an integration's settings in place of true; they mean that it is wanted. */
function booleans(integrations: Integrations): Integrations {
  return Object.fromEntries(Object.entries(integrations).map(([name, value]) => [name, Boolean(value)]));
}
