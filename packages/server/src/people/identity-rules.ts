/** How far identities reach (contract 10.4). */
export interface IdentityRules {
  /** Most anonymous ids and most user ids of one person: what would be beyond is not joined. */
  readonly anonymousIds: number;
  readonly userIds: number;
  /** Values that identify no person, beside the usual ones; in lower case. */
  readonly placeholderIds: ReadonlySet<string>;
}

export const IDENTITY_RULES: IdentityRules = { anonymousIds: 100, userIds: 20, placeholderIds: new Set() };

/** @param noIds Values that name no person, separated by commas. */
export function identityRules(anonymousIds: number, userIds: number, noIds: string | null): IdentityRules {
  const placeholderIds = (noIds ?? '').split(',').map((each) => each.trim().toLowerCase());
  return { anonymousIds, userIds, placeholderIds: new Set(placeholderIds) };
}
