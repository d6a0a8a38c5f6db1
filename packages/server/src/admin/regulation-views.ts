import type * as regulations from '../regulations/contract.ts';
import type { Reach } from '../regulations/reach.ts';
import type * as contract from './contract.ts';
import { picked, times } from './views.ts';

export function regulationView(from: regulations.Regulation): contract.Regulation {
  const { step, finishedAt, erasedAt = null, compactedAt = finishedAt, ids = null, events } = from;
  return {
    ...picked(from, 'id', 'regulationType', 'step', 'users'),
    subjectType: 'USER_ID',
    status: step === 'finished' ? 'finished' : 'running',
    ...times({ ...from, erasedAt, compactedAt }, 'createdAt', 'erasedAt', 'compactedAt', 'finishedAt'),
    ids,
    events: { found: events.found, removed: events.erased },
    notices: { filtered: 0, ...from.notices },
  };
}

/** So many of the ids that are not known are named. */
const MOST_UNKNOWN = 20;

export function reachView(from: Reach): contract.RegulationReach {
  const { events, complete, unknown } = from;
  return {
    ...picked(from, 'persons', 'ids'),
    others: from.others.map((one) => ({ userId: one.userId, others: [...one.others] })),
    events: { found: events, complete },
    unknown: unknown && { count: unknown.length, first: unknown.slice(0, MOST_UNKNOWN) },
    sources: [...from.sources].map(([sourceId, found]) => ({ sourceId, events: found })),
  };
}

export function subjectView({ userId, sources }: regulations.Subject): contract.RegulationSubject {
  return {
    userId,
    sources: sources.map(({ notice, ...found }) => ({ ...found, notice: notice && noticeView(notice) })),
  };
}

export function suppressionView(from: regulations.Suppression): contract.Suppression {
  return { userId: from.userId, ...times(from, 'since') };
}

function noticeView(from: regulations.Notice): contract.RegulationSubject['sources'][0]['notice'] {
  return {
    ...picked(from, 'messageId', 'state'),
    receipts: from.receipts.map((receipt) => ({
      ...receipt,
      ...times(receipt, 'at'),
      attempts: receipt.attempts.map((attempt) => ({ ...attempt, ...times(attempt, 'at') })),
    })),
  };
}
