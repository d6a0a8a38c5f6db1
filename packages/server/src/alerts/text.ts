import type { Incident, Notice } from './contract.ts';
import { messages, span, utc, whole } from './words.ts';

/** A notice as text for people. */
export interface NoticeText {
  /** One line. */
  readonly subject: string;
  /** The whole text. Its first line is the subject. */
  readonly text: string;
}

export function textOf(notice: Notice): NoticeText {
  const [only] = notice.incidents;
  if (only === undefined) return TEST;
  return notice.count === 1 ? ofOne(notice, only) : ofMany(notice);
}

const TEST: NoticeText = {
  subject: 'Millrace: this is a test',
  text: 'Millrace: this is a test\nAlerts will come to this address.',
};

/** The first words of a notice, by type. */
const MARKS = { opened: 'Failing', updated: 'Still failing', ended: 'Ended' } as const;

function ofOne({ type, createdAt }: Notice, incident: Incident): NoticeText {
  const { subject, cause, recovery, sample, id, since } = incident;
  const says = type === 'ended' ? (recovery ?? cause) : cause;
  const title = `Millrace: ${MARKS[type]}: ${nameOf(incident)}: ${says}`;
  const lines = [
    title,
    type === 'ended' ? `${cause} It lasted ${span(createdAt - since)}, from ${utc(since)}.` : `Since ${utc(since)}.`,
    subject.kind === 'destination' ? numbersOf(incident, createdAt) : null,
    sample && oneLine(`For example message ${sample.messageId}${sample.error === null ? '' : `: ${sample.error}`}`),
    `/incidents/${id}`,
  ];
  return { subject: title, text: lines.filter((line) => line !== null).join('\n') };
}

function ofMany({ type, incidents, count }: Notice): NoticeText {
  const title = `Millrace: ${MARKS[type]}: ${whole(count)} incidents at once`;
  const lines = incidents.map((incident) => {
    const says = type === 'ended' ? (incident.recovery ?? incident.cause) : incident.cause;
    return `- ${nameOf(incident)}: ${says}`;
  });
  const more = count > incidents.length ? [`and ${whole(count - incidents.length)} more`] : [];
  return { subject: title, text: [title, ...lines, ...more, '/incidents'].join('\n') };
}

function nameOf({ subject }: Incident): string {
  return oneLine(subject.name);
}

/** One line without control characters: names, ids and answers come from others, and must not add lines or change the direction of text. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ');
}

function numbersOf({ numbers }: Incident, now: number): string {
  const { waiting, oldestWaitingAt, failed } = numbers;
  const oldest = oldestWaitingAt === null ? '' : `, the oldest for ${span(now - oldestWaitingAt)}`;
  const waits = waiting === null ? '' : `${messages(waiting)} ${waiting === 1 ? 'waits' : 'wait'}${oldest}; `;
  return `${waits}${whole(failed ?? 0)} failed ${failed === 1 ? 'attempt' : 'attempts'} in the last 15 min.`;
}
