const USUAL: ReadonlySet<string> = new Set([
  ...['', '0', '-1', 'null', 'undefined', 'none', 'nil', 'anonymous', 'guest', 'unknown'],
]);

/**
 * Whether a value stands in the place of an id and identifies no person (contract 10.4). Programs send such values before they
 * know their user, and all their users would become one person.
 *
 * @param more Values beside the usual ones, in lower case (`MILLRACE_NO_IDS`).
 */
export function isPlaceholderId(id: string, more: ReadonlySet<string> = NONE): boolean {
  const plain = id.trim().toLowerCase();
  return USUAL.has(plain) || more.has(plain) || /^-*0[0-]*$/.test(plain);
}

const NONE: ReadonlySet<string> = new Set();
