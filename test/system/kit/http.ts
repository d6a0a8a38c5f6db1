import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Absent: a connection for this request alone, so that nothing is left open. */
  readonly agent?: Agent;
  /** The address it comes from, of this machine: `127.0.0.2`. */
  readonly from?: string;
}

/** One request over a real connection. Adds no header but Host, Content-Length and Connection. */
export function ask(url: string, { method, headers, body, agent, from }: Question = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const options = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...length, ...headers },
      agent: agent ?? false,
      ...(from !== undefined && { localAddress: from }),
    };
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const all = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: all, text: all.toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
