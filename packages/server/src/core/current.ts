/**
 * A node is current while it knows what was changed until this long ago, milliseconds. A change is answered after this time at
 * the latest: a node that has not heard of it by then is not current.
 */
export const CURRENT_MS = 1_000;
