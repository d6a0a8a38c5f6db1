/** What a client library needs to send its first call to this instance, ready to paste. */
export interface Snippet {
  /** The library, as its users call it. */
  readonly name: string;
  /** How it gets there: a command; null where nothing has to be installed. */
  readonly install: string | null;
  readonly code: string;
  /** What must be known beside it. */
  readonly note?: string;
}

/**
 * @param writeKey letters, digits, `-` and `_`: it needs no quoting in any language.
 * @param origin where clients reach the service: `https://events.example.com`.
 */
export function snippetsFor(writeKey: string, origin: string): readonly [Snippet, ...Snippet[]] {
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
      name: 'Script tag',
      install: null,
      code: `<script src="/millrace.min.js"></script>
<script>
  const client = new Millrace('${writeKey}', { endpoint: '${origin}' });
  client.page({ anonymousId: 'a1', name: document.title, traits: { url: location.href } });
</script>`,
      note: 'The file is dist/millrace.min.js of the package @millrace/client. Serve it from your own site.',
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
