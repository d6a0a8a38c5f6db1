import type * as regulations from '../regulations/contract.ts';
import type { Reach } from '../regulations/reach.ts';
import type * as contract from './contract.ts';
import { iso, isoOrNull } from './views.ts';

export function regulationView(from: regulations.Regulation): contract.Regulation {
  const { id, regulationType, step, createdAt, finishedAt, erasedAt = null, users, events, notices } = from;
  const { compactedAt = finishedAt } = from;
  return {
    id,
    regulationType,
    subjectType: 'USER_ID',
    status: step === 'finished' ? 'finished' : 'running',
    step,
    createdAt: iso(createdAt),
    erasedAt: isoOrNull(erasedAt),
    compactedAt: isoOrNull(compactedAt),
    finishedAt: isoOrNull(finishedAt),
    users,
    ids: from.ids ?? null,
    events: { found: events.found, removed: events.erased },
    notices: { ...notices },
  };
}

/** So many of the ids that are not known are named. */
const MOST_UNKNOWN = 20;

export function reachView({
  persons,
  ids,
  others,
  events,
  unknown,
  complete,
  sources,
}: Reach): contract.RegulationReach {
  return {
    persons,
    ids,
    others: others.map((one) => ({ userId: one.userId, others: [...one.others] })),
    events: { found: events, complete },
    unknown: unknown && { count: unknown.length, first: unknown.slice(0, MOST_UNKNOWN) },
    sources: [...(sources ?? [])].map(([sourceId, found]) => ({ sourceId, events: found })),
  };
}

export function subjectView({ userId, sources }: regulations.Subject): contract.RegulationSubject {
  return {
    userId,
    sources: sources.map(({ sourceId, events, notice }) => ({
      sourceId,
      events,
      notice: notice && noticeView(notice),
    })),
  };
}

export function suppressionView({ userId, since }: regulations.Suppression): contract.Suppression {
  return { userId, since: iso(since) };
}

function noticeView({
  messageId,
  state,
  receipts,
}: regulations.Notice): contract.RegulationSubject['sources'][0]['notice'] {
  return {
    messageId,
    state,
    receipts: receipts.map(({ at, attempts, ...receipt }) => ({
      ...receipt,
      at: iso(at),
      attempts: attempts.map((attempt) => ({ ...attempt, at: iso(attempt.at) })),
    })),
  };
}
