/** Whose an event `e` is (`ownerOf`), while it is not removed. */
const OWNER = "coalesce(e.user_id, e.anonymous_id, '')";

const SALT = 'substr(e.owner, 1, 16)';

/**
 * What `e` keeps of its owner when it is removed. It tells a duplicate to who knows the id. It gives no id: of many ids one in 65,536 has
 * the same, and each event of a user another one. The salt is made when the event is removed: no caller could make ids for it.
 */
export const MARK: string = `(SELECT s.salt || ${hashed('s.salt', OWNER)}
  FROM (SELECT uuid_send(gen_random_uuid()) AS salt, e.position) s)`;

/** Whether an event `e` is, or was before it was removed, of the owner. One that an earlier version removed, or that was moved from a folder, is of none. */
export function isOf(owner: string): string {
  return `CASE WHEN e.erased THEN e.owner = ${SALT} || ${hashed(SALT, owner)} ELSE ${OWNER} = ${owner} END`;
}

function hashed(salt: string, owner: string): string {
  return `substr(sha256(${salt} || convert_to(${owner}, 'UTF8')), 1, 2)`;
}
