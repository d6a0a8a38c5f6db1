import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Some proxies write an address like this: `203.0.113.7:5678`, `[2001:db8::1]:443`, `[2001:db8::1]`. */
const WITH_PORT = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/;

/**
 * The IP address that a request comes from, without a port: the address that a trusted proxy reports, else the address of the
 * connection. An IPv4 client of a dual-stack socket gets its IPv4 address.
 */
export function callerAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const [, v6, v4] = WITH_PORT.exec(ip) ?? [];
  const told = v6 ?? v4 ?? ip;
  const address = isIP(told) === 0 ? (socket.remoteAddress ?? '') : told;
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
