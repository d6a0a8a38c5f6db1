import type { Source } from '../../../../server/src/admin/contract.ts';

/** The code that a client library needs for its first call to this instance, ready to paste. */
export interface Snippet {
  /** The common name of the library. */
  readonly name: string;
  /** The command that installs it; null if nothing must be installed. */
  readonly install: string | null;
  readonly code: string;
  /** What the user must know besides the code. */
  readonly note?: string;
}

/**
 * Code for each client library.
 *
 * @param writeKey letters, digits, `-` and `_`: it needs no quoting in any language.
 * @param origin the address of the service for clients: `https://events.example.com`.
 * @param type of the source. For pages, the script tag comes first.
 */
export function snippetsFor(writeKey: string, origin: string, type: Source['type']): readonly [Snippet, ...Snippet[]] {
  const libraries = librarySnippets(writeKey, origin);
  const tag = scriptTag(writeKey, origin);
  return type === 'web' ? [tag, ...libraries] : [...libraries, tag];
}

/** The methods that the snippet queues until the script is loaded. */
const QUEUED =
  'identify track page screen group alias ready reset on once off setAnonymousId addSourceMiddleware trackLink trackForm trackClick trackSubmit pageview';

/** The script tag: a queue for calls, and the service's script that sends them. */
function scriptTag(writeKey: string, origin: string): Snippet {
  return {
    name: 'Script tag',
    install: null,
    code: `<script>(a=>'${QUEUED}'.split(' ').map(m=>a[m]??=(...c)=>(a.push([m,...c]),a)))(window.analytics??=[]);analytics.page()</script>
<script async src="${origin}/analytics.js/v1/${writeKey}/analytics.min.js"></script>`,
    note:
      'Paste both lines into the head of each page. Then call analytics.track(event, properties) and ' +
      "analytics.identify(id, traits), as with Segment's library. Segment's own snippet works too, with this host in it.",
  };
}

function librarySnippets(writeKey: string, origin: string): readonly [Snippet, ...Snippet[]] {
  const { host, protocol } = new URL(origin);
  return [
    {
      name: 'curl',
      install: null,
      code: `curl -sS -u '${writeKey}:' ${origin}/v1/track \\
  -H 'Content-Type: application/json' \\
  -d '{"userId": "u1", "event": "Order Completed", "properties": {"total": 27.5}}'`,
    },
    {
      name: 'Node.js',
      install: 'npm install @millrace/client',
      code: `import { Millrace } from '@millrace/client';
import { closeOnExit } from '@millrace/client/exit';

const client = new Millrace('${writeKey}', { endpoint: '${origin}' });
closeOnExit(client);

client.track({ userId: 'u1', event: 'Order Completed', properties: { total: 27.5 } });`,
    },
    {
      name: 'Browser',
      install: 'npm install @millrace/client',
      code: `import { Millrace } from '@millrace/client';

const client = new Millrace('${writeKey}', { endpoint: '${origin}' });

client.page({ anonymousId: 'a1', name: document.title, traits: { url: location.href } });`,
      note: 'Bundlers take the version for browsers by themselves. What is queued when a page is left still goes out.',
    },
    {
      name: '@segment/analytics-node',
      install: 'npm install @segment/analytics-node',
      code: `import { Analytics } from '@segment/analytics-node';

const analytics = new Analytics({ writeKey: '${writeKey}', host: '${origin}' });

analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 27.5 } });
await analytics.closeAndFlush();`,
    },
    {
      name: '@segment/analytics-next',
      install: 'npm install @segment/analytics-next',
      code: `import { AnalyticsBrowser } from '@segment/analytics-next';

const analytics = AnalyticsBrowser.load(
  { writeKey: '${writeKey}', cdnURL: '${origin}' },
  { integrations: { 'Segment.io': { apiHost: '${host}/v1', protocol: '${protocol.replace(':', '')}' } } },
);

analytics.track('Order Completed', { total: 27.5 });`,
    },
    {
      name: 'Go (v2)',
      install: 'go get github.com/segmentio/analytics-go@v2',
      code: `package main

import "github.com/segmentio/analytics-go"

func main() {
	client := analytics.New("${writeKey}")
	client.Endpoint = "${origin}"
	defer client.Close()

	client.Track(&analytics.Track{
		UserId:     "u1",
		Event:      "Order Completed",
		Properties: map[string]interface{}{"total": 27.5},
	})
}`,
    },
    {
      name: 'Python',
      install: 'pip install segment-analytics-python',
      code: `import segment.analytics as analytics

analytics.write_key = '${writeKey}'
analytics.host = '${origin}'

analytics.track('u1', 'Order Completed', {'total': 27.5})
analytics.shutdown()`,
    },
    {
      name: 'RudderStack Node.js',
      install: 'npm install @rudderstack/rudder-sdk-node',
      code: `import RudderAnalytics from '@rudderstack/rudder-sdk-node';

const client = new RudderAnalytics('${writeKey}', { dataPlaneUrl: '${origin}' });

client.track({ userId: 'u1', event: 'Order Completed', properties: { total: 27.5 } });
client.flush();`,
    },
  ];
}
