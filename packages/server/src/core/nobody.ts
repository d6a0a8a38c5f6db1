const NOBODY: ReadonlySet<string> = new Set([
  ...['', '0', '-1', 'null', 'undefined', 'none', 'nil', 'anonymous', 'guest', 'unknown'],
]);

/**
 * Whether a value is what careless callers send in the place of an id: all of them would be one person (contract 10.4).
 *
 * @param more Values of the operator's that name no person either, in lower case.
 */
export function namesNobody(id: string, more: ReadonlySet<string> = NONE): boolean {
  const plain = id.trim().toLowerCase();
  return NOBODY.has(plain) || more.has(plain) || /^-*0[0-]*$/.test(plain);
}

const NONE: ReadonlySet<string> = new Set();
