import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** `203.0.113.7:5678`, `[2001:db8::1]:443`, `[2001:db8::1]`: as some proxies write an address. */
const WITH_PORT = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/;

/**
 * The IP address that a request comes from: what a trusted proxy says, without a port, else the proxy's own. An IPv4 client of a
 * socket that listens on both is an IPv4 client.
 */
export function callerAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const [, v6, v4] = WITH_PORT.exec(ip) ?? [];
  const told = v6 ?? v4 ?? ip;
  const address = isIP(told) === 0 ? (socket.remoteAddress ?? '') : told;
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
