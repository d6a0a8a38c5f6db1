/** How far identities reach (contract 10.4). */
export interface IdentityRules {
  /** Most anonymous ids and most user ids of one person: what would be beyond is not joined. */
  readonly anonymousIds: number;
  readonly userIds: number;
  /** Values that name no person, beside the usual ones; in lower case. */
  readonly nobody: ReadonlySet<string>;
}

export const IDENTITY_RULES: IdentityRules = { anonymousIds: 100, userIds: 20, nobody: new Set() };

/** @param noIds Values that name no person, separated by commas. */
export function identityRules(anonymousIds: number, userIds: number, noIds: string | null): IdentityRules {
  const nobody = (noIds ?? '').split(',').map((each) => each.trim().toLowerCase());
  return { anonymousIds, userIds, nobody: new Set(nobody) };
}
