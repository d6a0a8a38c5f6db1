/** Each leaves so many (?2) of a person's (?1) rows, the newest. */

export const TRIM_UNJOINED = `DELETE FROM unjoined WHERE person = ?1 AND id IN (
  SELECT id FROM unjoined WHERE person = ?1 ORDER BY at DESC, id LIMIT -1 OFFSET ?2)`;

export const TRIM_TRAITS = `DELETE FROM trait WHERE person = ?1 AND name IN (
  SELECT name FROM trait WHERE person = ?1 ORDER BY at DESC, position DESC LIMIT -1 OFFSET ?2)`;

export const TRIM_GROUPS = `DELETE FROM membership WHERE person = ?1 AND grp IN (
  SELECT grp FROM membership WHERE person = ?1 ORDER BY grp LIMIT -1 OFFSET ?2)`;
