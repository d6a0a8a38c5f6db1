/** Whose an event `e` is (`ownerOf`), while it is not removed. */
const OWNER = "coalesce(e.user_id, e.anonymous_id, '')";

const SALT = 'substr(e.owner, 1, 16)';

/**
 * What `e` keeps of its owner when it is removed: it tells a duplicate to who knows the id, and gives no id. The salt could be known to
 * no caller when the event was sent, who could else make ids with one mark.
 */
export const MARK: string = `(SELECT s.salt || ${hashed('s.salt', OWNER)}
  FROM (SELECT uuid_send(gen_random_uuid()) AS salt, e.position) s)`;

/** Whether an event `e` is, or was before it was removed, of the owner. One that an earlier version removed is of none. */
export function isOf(owner: string): string {
  return `CASE WHEN e.erased THEN e.owner = ${SALT} || ${hashed(SALT, owner)} ELSE ${OWNER} = ${owner} END`;
}

function hashed(salt: string, owner: string): string {
  return `substr(sha256(${salt} || convert_to(${owner}, 'UTF8')), 1, 8)`;
}
