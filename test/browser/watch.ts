import type { BrowserContext, Request } from 'playwright-core';

const MOST_CALLS = 30;

/**
 * What no page may do: ask another host than this machine, write an error to the console, throw, crash. The list grows
 * for as long as the context lives, in all its pages.
 *
 * @param mayLog Console errors a test provokes; Chromium writes one for every answer from 400 on.
 */
export function watch(context: BrowserContext, mayLog: readonly RegExp[] = []): readonly string[] {
  const complaints: string[] = [];
  context.on('request', (request) => {
    if (isOutside(request.url())) complaints.push(`asked another host: ${request.method()} ${request.url()}`);
  });
  context.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    const line = url === '' ? message.text() : `${message.text()} (${url})`;
    if (!mayLog.some((pattern) => pattern.test(line))) complaints.push(`console error: ${line}`);
  });
  context.on('weberror', (webError) => complaints.push(`page error: ${detail(webError.error())}`));
  context.on('page', (page) => {
    page.on('crash', () => complaints.push(`crashed: ${page.url()}`));
    page.on('websocket', (socket) => {
      if (isOutside(socket.url())) complaints.push(`asked another host: ${socket.url()}`);
    });
  });
  return complaints;
}

/** What was last asked of a service from these pages, with what became of it: for who reads why a test failed. */
export function lastCalls(context: BrowserContext): () => string {
  const calls: Request[] = [];
  const answers = new Map<Request, string>();
  context.on('request', (request) => {
    if (request.resourceType() !== 'fetch') return;
    calls.push(request);
    for (const old of calls.splice(0, calls.length - MOST_CALLS)) answers.delete(old);
  });
  context.on('response', (response) => answers.set(response.request(), String(response.status())));
  context.on('requestfailed', (request) => answers.set(request, request.failure()?.errorText ?? 'failed'));
  return () => calls.map((call) => `${call.method()} ${call.url()}: ${answers.get(call) ?? 'no answer'}`).join('\n');
}

/** Ends what `watch` and `lastCalls` began. */
export function unwatch(context: BrowserContext): void {
  for (const event of ['request', 'response', 'requestfailed', 'console', 'weberror', 'page'] as const) {
    context.removeAllListeners(event);
  }
}

function isOutside(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  if (!/^(https?|wss?):$/.test(protocol)) return false;
  return !/^(127(\.\d+){3}|\[::1\]|([^.]+\.)*localhost)$/.test(hostname);
}

function detail(error: Error): string {
  return error.stack ?? String(error);
}
