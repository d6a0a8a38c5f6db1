import type { Incident } from '../alerts/contract.ts';
import { ALERT_RULES } from '../alerts/rules.ts';
import { type FaultCode, isOutage } from '../core/fault.ts';
import { heldUpBy } from '../core/hold.ts';
import { iso } from '../core/instant.ts';
import { UNKNOWN_KEYS } from '../core/rejection.ts';
import { share } from '../core/share.ts';
import type { Source } from '../core/source.ts';
import { isFinal, partsOf } from '../core/tally.ts';
import { causeOf } from '../deliver/causes.ts';
import type { StatsSums } from '../record/contract.ts';
import type { HealthReport, OverviewDestination, OverviewProblem } from './contract.ts';
import type { AdminDeps } from './deps.ts';

/** The problems on the overview: where, why, and since when. */

export type ProblemDeps = Pick<AdminDeps, 'settings' | 'stats' | 'replays' | 'rejectionGroups' | 'alerts'>;

/** A problem before its incident is looked up. */
type Found = Omit<OverviewProblem, 'incidentId'>;

/** From this share of refused calls in the last hour on, a source has a problem. */
const REFUSED_SHARE = 0.01;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** How long a replay with failed messages is shown, milliseconds. */
const REPLAY_TOLD = DAY;
/** In an hour a message meets a failure that may pass about so many times at a URL, and a final refusal once. */
const TRIES = 16;
const CLIENT = 'Find the client in the list of rejected calls, and correct what it sends.';
const OUTAGE = 'The service could not take them: see its health and its log. Clients send these calls again.';
/** What to do about refusals that follow from a source's settings. */
const BY_SETTINGS: Readonly<Partial<Record<string, string>>> = {
  source_disabled: 'Switch the source on, or find who still sends to it.',
  quota_exceeded: "Raise the source's limits in its settings, or find who sends so much.",
  origin_not_allowed: "Add the pages' origin to the source's allowed origins, or find who uses its write key.",
} satisfies Partial<Record<FaultCode, string>>;
const CLEAR = 'None of its rules holds any more, and the incident ends if it stays like this';
const RESUME = 'Resume what is paused when its receiver is ready.';

const GRAVITY: readonly OverviewProblem['severity'][] = ['failing', 'degraded', 'paused'];

/** The facts read for the overview, all of one moment. */
export interface ProblemSigns {
  readonly now: number;
  readonly destinations: readonly OverviewDestination[];
  /** The last hour in whole minutes, the current minute included. Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Sums of that hour, by destination and by source. */
  readonly hour: ReadonlyMap<string, StatsSums>;
  readonly ready: HealthReport;
}

/** All problems, most serious first. */
export async function problemsOf(deps: ProblemDeps, signs: ProblemSigns): Promise<OverviewProblem[]> {
  const found = await Promise.all([
    serviceProblems(signs.ready),
    destinationProblems(deps, signs),
    refusedCalls(deps, signs),
    unknownKeys(deps, signs),
    failedReplays(deps, signs.now),
  ]);
  const all = withIncidents(found.flat(), await deps.alerts.store.incidents('open'));
  return all.toSorted((a, b) => GRAVITY.indexOf(a.severity) - GRAVITY.indexOf(b.severity));
}

/** The kind of problem that belongs to an incident, by its cause. */
const KIND_OF: Readonly<Record<string, Found['kind']>> = { delivery: 'destination', refused: 'rejections' };

/** Joins problems with open incidents, which know the beginning. An incident without a problem becomes one of its own. */
function withIncidents(found: readonly Found[], incidents: readonly Incident[]): OverviewProblem[] {
  const isOf = ({ kind, id }: Found, { subject, rule }: Incident): boolean =>
    id === subject.id && kind === KIND_OF[ALERT_RULES[rule].cause];
  const alone = incidents.filter((incident) => !found.some((problem) => isOf(problem, incident)));
  return [
    ...alone.map(({ id, subject, cause, since, clearSince }): OverviewProblem => {
      const words = {
        kind: 'incident',
        id,
        name: subject.name,
        advice: null,
        since: iso(since),
        incidentId: id,
      } as const;
      if (clearSince === null) return { ...words, severity: 'failing', title: cause, cause: null };
      return { ...words, severity: 'degraded', title: CLEAR, cause: `It was: ${cause.replace(/\.$/, '')}` };
    }),
    ...found.map((problem): OverviewProblem => {
      const incident = incidents.find((one) => isOf(problem, one));
      if (!incident) return { ...problem, incidentId: null };
      // A destination that recovers or is paused keeps its current words, and so does what fails otherwise than the incident says.
      const isPast = incident.clearSince !== null || (problem.kind === 'destination' && problem.severity !== 'failing');
      const said = isPast ? {} : ({ severity: 'failing', title: incident.cause } as const);
      return { ...problem, ...said, since: iso(incident.since), incidentId: incident.id };
    }),
  ];
}

function serviceProblems({ status, checks }: HealthReport): Found[] {
  const severity = status === 'failing' ? 'failing' : 'degraded';
  const failing = checks.filter(({ ok }) => !ok);
  return failing.map(({ name, reason }): Found => {
    const words = { name, title: reason ?? 'The check failed', cause: null, advice: null, since: null };
    return { kind: 'service', severity, id: name, ...words };
  });
}

/** Problems of destinations, with the error of the last hour that most messages met. */
function destinationProblems({ settings }: ProblemDeps, { destinations, hour }: ProblemSigns): Found[] {
  return destinations.flatMap(({ id, name, health, reason, lostAt, paused }): Found[] => {
    if (reason === null) return [];
    if (health === 'paused') {
      const severity = lostAt === null ? 'paused' : 'failing';
      return [
        {
          kind: 'destination',
          severity,
          id,
          name,
          title: reason,
          cause: null,
          advice: RESUME,
          since: paused?.since ?? null,
        },
      ];
    }
    if (health !== 'failing' && health !== 'degraded') return [];
    const errors = [...(hour.get(id)?.attempts ?? [])].filter(([key]) => !key.startsWith('ok '));
    // Where all URLs must take a message, a final refusal at one decides: then messages are compared, not their attempts.
    const byMessage = settings.destination(id)?.success === 'all';
    const weight = ([key, [count]]: (typeof errors)[number]): number =>
      byMessage && isFinal(partsOf(key)[0]) ? count * TRIES : count;
    const [worst] = errors.toSorted((a, b) => weight(b) - weight(a));
    const problem = { kind: 'destination', severity: health, id, name, title: reason } as const;
    if (!worst) {
      const of = settings.destination(id);
      const advice = of && heldUpBy(of).length > 0 ? RESUME : null;
      return [{ ...problem, cause: null, advice, since: null }];
    }
    const [key, [count, firstAt]] = worst;
    const { title, advice } = causeOf(partsOf(key)[0], settings.destination(id)?.policy);
    return [{ ...problem, cause: `${title}: ${attempts(count)} in the last hour`, advice, since: iso(firstAt) }];
  });
}

/** Sources with many refused calls, with the codes of the refusals. */
async function refusedCalls(
  { settings, stats, rejectionGroups }: ProblemDeps,
  { from, to, hour }: ProblemSigns,
): Promise<Found[]> {
  const bad = settings.sources().filter(({ id }) => refusedShare(hour.get(id)) >= REFUSED_SHARE);
  if (bad.length === 0) return [];
  const ids = bad.map(({ id }) => id);
  const before = await stats.totals(ids, from - (to - from), from);
  return Promise.all(
    bad.map(async ({ id, name }: Source): Promise<Found> => {
      const groups = (await rejectionGroups.list(id)).filter(({ lastAt }) => lastAt >= from);
      const codes = [...new Set(groups.toSorted((a, b) => b.count - a.count).map(({ code }) => code))];
      const { accepted = 0, rejected = 0 } = hour.get(id) ?? {};
      return {
        kind: 'rejections',
        severity: rejected > accepted ? 'failing' : 'degraded',
        id,
        name,
        title: `${share(rejected, accepted + rejected)} of the last hour's calls were refused: ${rejected} (the hour before: ${before.get(id)?.rejected ?? 0})`,
        cause: codes.length === 0 ? null : `Their ${codes.length === 1 ? 'code' : 'codes'}: ${codes.join(', ')}`,
        advice: refusalAdvice(codes),
        since: groups.length === 0 ? null : iso(Math.min(...groups.map(({ firstAt }) => firstAt))),
      };
    }),
  );
}

/** What to do about calls that were refused with these codes. Where that differs, each piece of advice names its codes. */
function refusalAdvice(codes: readonly string[]): string {
  const byAdvice = Map.groupBy(codes, (code) => (isOutage(code) ? OUTAGE : (BY_SETTINGS[code] ?? CLIENT)));
  if (byAdvice.size < 2) return byAdvice.keys().next().value ?? CLIENT;
  return Array.from(byAdvice, ([advice, of]) => `${of.join(', ')}: ${advice}`).join(' ');
}

/** Shows only the end of a key, and no senders: observers see the overview too, and may not see personal data. */
async function unknownKeys({ rejectionGroups }: ProblemDeps, { from }: ProblemSigns): Promise<Found[]> {
  const groups = (await rejectionGroups.list(UNKNOWN_KEYS)).filter(({ lastAt }) => lastAt >= from);
  const [worst] = groups.toSorted((a, b) => b.count - a.count);
  if (!worst) return [];
  const title = `Calls ${unknownKeyWords(new Set(groups.map(({ key }) => key)))} were refused in the last hour`;
  const { key, count, firstAt } = worst;
  const calls = `${count} ${count === 1 ? 'call' : 'calls'} since the first`;
  const cause = `Most of all ${key === '' ? 'without any key' : `with the key ${key}`}: ${calls}`;
  const advice = 'Find the client by its address and user agent, and give it the write key of a source.';
  const words = { name: 'Unknown write keys', title, cause, advice, since: iso(firstAt) };
  return [{ kind: 'rejections', severity: 'degraded', id: UNKNOWN_KEYS, ...words }];
}

/** The empty key stands for calls without a key. */
function unknownKeyWords(keys: ReadonlySet<string | null>): string {
  const unknown = keys.size - (keys.has('') ? 1 : 0);
  const words = `with ${unknown === 1 ? 'a write key' : `${unknown} write keys`} that no source has`;
  if (!keys.has('')) return words;
  return unknown === 0 ? 'without a write key' : `without a write key, and ${words},`;
}

/** The newest replay of each destination, if messages failed again. */
async function failedReplays({ settings, replays }: ProblemDeps, now: number): Promise<Found[]> {
  const newest = new Map<string, Awaited<ReturnType<ProblemDeps['replays']['list']>>[number]>();
  for (const replay of await replays.list(now - REPLAY_TOLD)) {
    if (replay.createdAt > (newest.get(replay.destinationId)?.createdAt ?? 0)) {
      newest.set(replay.destinationId, replay);
    }
  }
  return [...newest.values()].flatMap(({ destinationId: id, status, result, createdAt }): Found[] => {
    const name = settings.destination(id)?.name;
    if (name === undefined || status === 'running' || !result?.failed) return [];
    const { failed, processed, retrying } = result;
    const left = retrying > 0 ? `, ${retrying} still waiting` : '';
    const ended = status === 'stopped' ? 'was stopped' : 'ended';
    const title = `The newest replay ${retrying > 0 ? 'has not ended' : ended}: ${failed} failed again, ${processed} delivered${left}`;
    const advice = 'Open the failed messages, mend the cause, and replay them again.';
    return [{ kind: 'replay', severity: 'degraded', id, name, title, cause: null, advice, since: iso(createdAt) }];
  });
}

function refusedShare(sums: StatsSums | undefined): number {
  return sums && sums.rejected > 0 ? sums.rejected / (sums.accepted + sums.rejected) : 0;
}

function attempts(count: number): string {
  return count === 1 ? '1 attempt' : `${count.toLocaleString('en')} attempts`;
}
