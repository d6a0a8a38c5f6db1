/** The owner of an event `e` (`ownerOf`) that is not removed. */
const OWNER = "coalesce(e.user_id, e.anonymous_id, '')";

const SALT = 'substr(e.owner, 1, 16)';

/**
 * The mark of its owner that a removed event `e` keeps. With the id at hand, the mark tells whether a call is a duplicate. It
 * does not reveal the id: one in 65,536 ids has the same mark, and each event of a user has a different one. The salt is made
 * at the removal, so no caller can make ids that match.
 */
export const MARK: string = `(SELECT s.salt || ${hashed('s.salt', OWNER)}
  FROM (SELECT uuid_send(gen_random_uuid()) AS salt, e.position) s)`;

/**
 * Whether an event `e` belongs to this owner, or belonged to it before its removal. False for events that an earlier version
 * removed, and for removed events that were moved from a folder.
 */
export function isOf(owner: string): string {
  return `CASE WHEN e.erased THEN e.owner = ${SALT} || ${hashed(SALT, owner)} ELSE ${OWNER} = ${owner} END`;
}

function hashed(salt: string, owner: string): string {
  return `substr(sha256(${salt} || convert_to(${owner}, 'UTF8')), 1, 2)`;
}
