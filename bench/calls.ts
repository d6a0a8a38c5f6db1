import { randomBytes } from 'node:crypto';
import { liveCalls, visitor } from './crowd.ts';

/** A whole HTTP request, built once; before each sending the ids in it are made new. */
export interface PreparedRequest {
  readonly bytes: Buffer;
  readonly calls: number;
  /**
   * Gives every call of the request a messageId that no call of this run had before and a user of the run's, and where the
   * request is stamped, the time (CLOCK_MONOTONIC, microseconds) as `properties.t`.
   */
  renew(firstNumber: number, micros: number): void;
}

export interface RequestShape {
  readonly writeKey: string;
  /** 1 makes a request to /v1/track, more a /v1/batch. */
  readonly calls: number;
  /** Marks the messageIds of one run, so that two runs against one service never meet: 6 characters. */
  readonly run: string;
  readonly stamped: boolean;
  /** The calls are those of this many persons of the crowd (crowd.ts), in batches; null: all alike, of 100,000 persons. */
  readonly crowd: number | null;
}

const NUMBER_DIGITS = 12;
const USER_DIGITS = 6;
const USERS = 100_000;
const ID_START = '6f1b8a5e-4c83-4f0e-9d27-';
const STAMP_WIDTH = 16;

/** A request as client libraries send it: Basic auth, JSON, about 1 KB per call. */
export function prepareRequest(shape: RequestShape): PreparedRequest {
  const body = shape.calls === 1 ? callText(shape) : batchText(shape);
  const head = [
    `POST ${shape.calls === 1 ? '/v1/track' : '/v1/batch'} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Authorization: Basic ${Buffer.from(`${shape.writeKey}:`).toString('base64')}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '\r\n',
  ].join('\r\n');
  const bytes = Buffer.from(head + body);
  const numbers = offsetsAfter(bytes, `"messageId":"bench-${shape.run}-`);
  const users = offsetsAfter(bytes, '"userId":"user-');
  const visitors = offsetsAfter(bytes, `"anonymousId":"${ID_START}`);
  const userOf = (number: number): number => (shape.crowd === null ? number % USERS : visitor(number, shape.crowd));
  const clicks = offsetsAfter(bytes, CLICK);
  const stamps = shape.stamped ? offsetsAfter(bytes, '"t":') : [];
  return {
    bytes,
    calls: shape.calls,
    renew(firstNumber, micros) {
      for (let i = 0; i < numbers.length; i++) {
        writeDigits(bytes, numbers[i] ?? 0, NUMBER_DIGITS, firstNumber + i);
        const user = userOf(firstNumber + i);
        writeDigits(bytes, users[i] ?? 0, USER_DIGITS, user);
        writeDigits(bytes, visitors[i] ?? 0, NUMBER_DIGITS, user);
      }
      for (const click of clicks) {
        const from = Math.floor(Math.random() * (RANDOM.length - CLICK_WIDTH));
        RANDOM.copy(bytes, click, from, from + CLICK_WIDTH);
      }
      for (const stamp of stamps) bytes.write(String(micros).padStart(STAMP_WIDTH), stamp, 'latin1');
    },
  };
}

/** What an advertisement puts into the address of a page: it differs from call to call. */
const CLICK = '?click=';
const CLICK_WIDTH = 120;
const RANDOM = Buffer.from(randomBytes(1_000_000).toString('base64url'));

const ORDER = {
  type: 'track',
  event: 'Order Completed',
  properties: {
    orderId: 'A-50314159',
    total: 127.5,
    revenue: 112.25,
    currency: 'EUR',
    coupon: 'AUTUMN-10',
    products: [
      { productId: 'p-1001', sku: 'MUG-BLUE', name: 'Mug, blue', price: 12.75, quantity: 4, category: 'kitchen' },
    ],
  },
};

/**
 * One call as JSON, about 1 KB: what a web shop's page sends. A user's anonymousId is theirs alone, or all would be one person. A part
 * of each is random, as in calls of different visitors: else the batches of a cluster would be compressed to nearly nothing.
 */
export function callText(shape: Pick<RequestShape, 'run' | 'stamped'>, said: object = ORDER): string {
  const { properties, ...rest } = said as { readonly properties?: object };
  const call = {
    messageId: `bench-${shape.run}-${'0'.repeat(NUMBER_DIGITS)}`,
    userId: `user-${'0'.repeat(USER_DIGITS)}`,
    anonymousId: `${ID_START}${'0'.repeat(NUMBER_DIGITS)}`,
    ...rest,
    timestamp: new Date().toISOString(),
    ...(properties ? { properties: { ...(shape.stamped ? { t: 0 } : {}), ...properties } } : {}),
    context: {
      library: { name: 'analytics.js', version: '4.1.2' },
      ip: '203.0.113.44',
      locale: 'de-AT',
      timezone: 'Europe/Vienna',
      userAgent: 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36',
      page: {
        path: '/checkout/done',
        referrer: '',
        title: 'Thank you',
        url: `https://shop.example/done${CLICK}${'0'.repeat(CLICK_WIDTH)}`,
      },
      campaign: { source: 'newsletter', medium: 'email', name: 'autumn' },
    },
  };
  return JSON.stringify(call).replace('"t":0', `"t":${'0'.padStart(STAMP_WIDTH)}`);
}

function batchText(shape: RequestShape): string {
  const said = shape.crowd === null ? [ORDER] : liveCalls();
  const calls = Array.from({ length: shape.calls }, (_, i) => callText(shape, said[i % said.length])).join(',');
  return `{"batch":[${calls}],"sentAt":"${new Date().toISOString()}"}`;
}

function offsetsAfter(bytes: Buffer, text: string): number[] {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) offsets.push(at + text.length);
  return offsets;
}

function writeDigits(bytes: Buffer, offset: number, digits: number, value: number): void {
  let rest = value;
  for (let i = offset + digits - 1; i >= offset; i--) {
    bytes[i] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
