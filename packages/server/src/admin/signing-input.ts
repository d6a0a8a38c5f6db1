import { randomBytes } from 'node:crypto';
import type { FormerSecret, SecretName, SignatureScheme, Signing } from '../core/destination.ts';
import { durationWithin } from '../core/duration.ts';
import { standardSecretFlaw, standardSecretOf } from '../deliver/signature.ts';
import type { DestinationChange, FieldError } from './contract.ts';
import { refuse } from './input.ts';

type SigningChange = Pick<
  NonNullable<DestinationChange['settings']>,
  'signatures' | 'sharedSecret' | 'standardSecret' | 'secretOverlap'
>;

const SEGMENT: readonly SignatureScheme[] = ['segment'];
const SECRET_BYTES = 32;
const LONGEST_OVERLAP = '30d';

/** The errors of a request's secrets, for any kind of signature. */
export function signingErrors({ sharedSecret, standardSecret, signatures = [] }: SigningChange): FieldError[] {
  const errors = [...sharedSecretErrors(sharedSecret ?? null)];
  const flaw = standardSecret ? standardSecretFlaw(standardSecret) : null;
  if (flaw !== null) errors.push({ path: 'settings.standardSecret', message: flaw });
  if (new Set(signatures).size < signatures.length)
    errors.push({ path: 'settings.signatures', message: 'must name each scheme once' });
  return errors;
}

/** A pasted secret, or one from a file, often has a line break or a space that the receiver's secret lacks: then no signature fits. */
function sharedSecretErrors(secret: string | null): FieldError[] {
  const path = 'settings.sharedSecret';
  if (secret === null) return [];
  if (/\p{Cc}/u.test(secret)) return [{ path, message: 'must not have a line break or another control character' }];
  return secret === secret.trim() ? [] : [{ path, message: 'must not begin or end with a space' }];
}

/**
 * The signing settings after a change. Absent fields stay. A scheme that needs a secret and has none gets a new one. A replaced
 * secret signs for another `secretOverlap`. Only an overlap without a new secret changes the end of secrets that were replaced
 * earlier.
 *
 * @throws InvalidInput if the overlap can't be parsed, or no secret is or was replaced.
 */
export function changedSigning(old: Signing, change: SigningChange, now: number): Signing {
  const signatures = change.signatures ?? old.signatures ?? SEGMENT;
  const standardBefore = old.standardSecret ?? null;
  const { sharedSecret = old.sharedSecret, standardSecret: given = standardBefore } = change;
  const needsStandard = signatures.some((scheme) => scheme !== 'segment');
  const standardSecret = given ?? (needsStandard ? newStandardSecret() : null);
  const overlap = overlapOf(change.secretOverlap);
  const isReplacing = isReplaced(old.sharedSecret, sharedSecret) || isReplaced(standardBefore, standardSecret);
  const formerOf = (name: SecretName, before: string | null, after: string | null): FormerSecret | null => {
    const until = new Date(now + (overlap ?? 0)).toISOString();
    if (isReplaced(before, after)) return overlap && after !== null ? { secret: before, until } : null;
    const former = old.former?.[name];
    const moved = isReplacing ? null : overlap;
    if (!former || Date.parse(former.until) <= now || moved === 0) return null;
    return moved === null ? former : { ...former, until };
  };
  const ofShared = formerOf('sharedSecret', old.sharedSecret, sharedSecret);
  const ofStandard = formerOf('standardSecret', standardBefore, standardSecret);
  const isOfNothing = ofShared === null && ofStandard === null && !change.sharedSecret && !change.standardSecret;
  if (overlap && isOfNothing) {
    refuse(
      'settings.secretOverlap',
      'is of no secret: send it beside a new one, or while one that was replaced still signs',
    );
  }
  const isSegment = signatures.length === 1 && signatures[0] === 'segment';
  return {
    sharedSecret,
    ...(!isSegment && { signatures }),
    ...(standardSecret !== null && { standardSecret }),
    ...((ofShared || ofStandard) && {
      former: { ...(ofShared && { sharedSecret: ofShared }), ...(ofStandard && { standardSecret: ofStandard }) },
    }),
  };
}

function isReplaced(before: string | null, after: string | null): before is string {
  return before !== null && before !== after;
}

/** Makes a new secret of Standard Webhooks. */
export function newStandardSecret(): string {
  return standardSecretOf(randomBytes(SECRET_BYTES));
}

/** Milliseconds; null if none is given. */
function overlapOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = durationWithin(text, '0s', LONGEST_OVERLAP);
  return ms ?? refuse('settings.secretOverlap', `must be a duration like 24h, at most ${LONGEST_OVERLAP}`);
}
