import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '../core/fault.ts';

/**
 * Checks an `Authorization: Bearer …` header against the admin token. Both sides are hashed first: the comparison takes
 * the same time wherever they differ, and however long they are.
 */
export function bearerCheck(token: string): (authorization: string | undefined) => Fault | null {
  const expected = digest(token);
  return (authorization) => {
    if (authorization === undefined) return new Fault('unauthorized', 'Send the admin token: Authorization: Bearer …');
    const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (given === undefined)
      return new Fault('unauthorized', 'The Authorization header is not of the form Bearer TOKEN');
    return timingSafeEqual(digest(given), expected) ? null : new Fault('unauthorized', 'The admin token is wrong');
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
