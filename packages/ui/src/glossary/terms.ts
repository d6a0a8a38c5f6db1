/**
 * The words of the interface and of the docs, each explained once. The page *Glossary* and the explanations in other pages read them
 * here, and docs/glossary.md is made of them by `npm run docs`. `see` is the place in docs/ that says more.
 */
export const TERMS = {
  accepted: {
    word: 'accepted',
    means: 'The call passed all checks, and its event is stored safely. The sender got the answer 200.',
    see: 'delivery.md#states',
  },
  alias: {
    word: 'alias',
    means:
      'A call that says that two ids belong to one person. Two user ids are joined only by an alias of a server source.',
    see: 'people.md#who-is-who',
  },
  anonymousId: {
    word: 'anonymous id',
    means: 'The id that a browser or an app gives its user before a sign-in.',
    see: 'people.md#who-is-who',
  },
  apiToken: {
    word: 'API token',
    means: 'A secret that a program signs in with. It has a role of its own, and can be revoked.',
    see: 'operations.md#people-and-tokens',
  },
  attempt: {
    word: 'attempt',
    means: 'One HTTP request that carries one message to one URL.',
    see: 'delivery.md#outcome-of-a-request',
  },
  audience: {
    word: 'audience',
    means:
      'All persons for whom a condition holds. Its destinations get an identify call when a person enters or leaves.',
    see: 'people.md#audiences',
  },
  auditLog: {
    word: 'audit log',
    means:
      'The list of all changes of the settings: when, by whom, from which address, and the values before and after.',
    see: 'operations.md#people-and-tokens',
  },
  breaker: {
    word: 'breaker',
    means:
      'It pauses a destination when no message succeeded for a while. Messages wait; one is sent as a probe. The first success ends the pause.',
    see: 'delivery.md#when-an-endpoint-is-down',
  },
  call: {
    word: 'call',
    means: 'One track, identify, page, screen, group or alias that a client sends to the collection API.',
    see: 'http-api.md#collection-api',
  },
  computedTrait: {
    word: 'computed trait',
    means:
      'A value that is computed from the events of each person. Its destinations get an identify call when it changes.',
    see: 'people.md#computed-traits',
  },
  concurrency: {
    word: 'concurrency',
    means:
      'How many requests may be under way to one URL at the same time. It grows and shrinks with how the URL answers.',
    see: 'delivery.md#when-an-endpoint-is-down',
  },
  consent: {
    word: 'consent',
    means:
      'What a user has agreed to, by category, as the call itself says it. A destination that asks for a category gets no call without it.',
    see: 'filters.md#consent',
  },
  deletion: {
    word: 'deletion',
    means: 'Removes everything that is stored about users, and sends a delete message to the destinations.',
    see: 'people.md#deletion',
  },
  destination: {
    word: 'destination',
    means:
      'Where events are delivered: up to five URLs, with a shared secret, a track filter and the sources it is connected to.',
    see: 'delivery.md#routing',
  },
  duplicate: {
    word: 'duplicate',
    means: 'An event that a source sent again within 24 hours, with the same messageId. It is not delivered twice.',
    see: 'http-api.md#collection-api',
  },
  endpoint: {
    word: 'endpoint',
    means: 'The server behind a URL of a destination.',
    see: 'delivery.md#request',
  },
  event: {
    word: 'event',
    means: 'An accepted call as it is stored. It becomes one message for each destination that it goes to.',
    see: 'delivery.md',
  },
  failed: {
    word: 'failed',
    means:
      'The message was not delivered, and is not tried again. It is kept for as long as events are kept, and can be sent again.',
    see: 'delivery.md#states',
  },
  filtered: {
    word: 'filtered',
    means: 'A rule kept the event from a destination before any request was made. The reason is recorded.',
    see: 'delivery.md#states',
  },
  held: {
    word: 'held',
    means:
      'The message waits because its destination, or a URL of it, is paused, or goes to this machine, which is not allowed. Its retry window does not run; it fails only when it has waited for as long as events are kept.',
    see: 'delivery.md#pause',
  },
  identify: {
    word: 'identify call',
    means: 'A call that says what a person is like: traits, under a user id.',
    see: 'people.md#what-is-kept',
  },
  incident: {
    word: 'incident',
    means:
      'Something that is wrong with a destination, a source or the service, from its beginning to its end. Those of one cause are one incident, and addresses are told of it.',
    see: 'alerts.md#one-incident-per-cause',
  },
  key: {
    word: 'key of an audience',
    means: 'The name of the trait in the identify calls of an audience or a computed trait. It can’t be changed later.',
    see: 'people.md#what-is-told',
  },
  member: {
    word: 'member',
    means: 'A person for whom the condition of an audience holds now.',
    see: 'people.md#audiences',
  },
  message: {
    word: 'message',
    means: 'An event as one destination gets it. Each attempt carries the same bytes.',
    see: 'delivery.md#request',
  },
  messageId: {
    word: 'messageId',
    means: 'The id of an event. Receivers use it to recognise a message that they got before.',
    see: 'delivery.md#request',
  },
  order: {
    word: 'order',
    means:
      'By user, where a destination asks for it: a call of a user goes out when the one before has ended. Other users do not wait, unless more than 1,024 calls wait so.',
    see: 'delivery.md#order',
  },
  paused: {
    word: 'paused',
    means:
      'A person has stopped a destination, or one URL of it: nothing is sent, messages wait, and no retry window runs. It lasts until it is resumed.',
    see: 'delivery.md#pause',
  },
  person: {
    word: 'person',
    means: 'All ids that belong together, with the traits, groups and events that calls said of them.',
    see: 'people.md#who-is-who',
  },
  policy: {
    word: 'policy',
    means: 'What a destination changes of pace, timeout and retries. What it leaves out is as the service has it.',
    see: 'delivery.md#pace-and-retries',
  },
  probe: {
    word: 'probe',
    means: 'The one message that is sent while the breaker is open, to find out whether the endpoint works again.',
    see: 'delivery.md#when-an-endpoint-is-down',
  },
  processed: {
    word: 'processed',
    means: 'A URL of the destination answered with a 2xx status.',
    see: 'delivery.md#states',
  },
  receipt: {
    word: 'receipt',
    means: 'What a URL answered to a delete message, and when. It is kept as evidence.',
    see: 'delivery.md#delete-messages',
  },
  redaction: {
    word: 'redaction',
    means:
      'Fields that are dropped, masked or hashed before a call leaves for one destination. What is kept stays whole.',
    see: 'filters.md#redaction',
  },
  rejected: {
    word: 'rejected call',
    means: 'A call that failed a check. It is not stored and not delivered; the sender got an error.',
    see: 'http-api.md#errors',
  },
  replay: {
    word: 'replay',
    means: 'Sends stored messages to a destination again, byte for byte, at a chosen rate and with a new retry window.',
    see: 'delivery.md#replays',
  },
  retention: {
    word: 'retention',
    means: 'How long events are kept (MILLRACE_RETENTION). What is older is removed.',
    see: 'configuration.md#millrace_retention',
  },
  retryWindow: {
    word: 'retry window',
    means: 'How long a message is tried again after its first attempt (MILLRACE_RETRY_WINDOW). Then it fails.',
    see: 'delivery.md#retries',
  },
  retrying: {
    word: 'retrying',
    means: 'The part of waiting that is in the retry queue: it had an attempt, or a replay sends it again.',
    see: 'delivery.md#states',
  },
  role: {
    word: 'role',
    means:
      'What an account or a token may do. Observers see settings and numbers, viewers see events and persons too, admins change.',
    see: 'http-api.md#who-may-call',
  },
  sharedSecret: {
    word: 'shared secret',
    means: 'A text that this service and an endpoint know. It signs each request. It is never shown again.',
    see: 'signing.md',
  },
  signature: {
    word: 'signature',
    means:
      'A code over the bytes of a request, in the header X-Signature. With the shared secret the endpoint checks who sent it.',
    see: 'signing.md#what-is-signed',
  },
  snooze: {
    word: 'snooze',
    means:
      'No notices of one incident for a while. It stays open, and is told when the time is over and it has not ended.',
    see: 'http-api.md#incidents-and-alerts',
  },
  source: {
    word: 'source',
    means: 'Where calls come from: a web site, an app or a server. Each source has its own write key.',
    see: 'http-api.md#sources',
  },
  suppression: {
    word: 'suppression',
    means: 'All later calls of a user are refused. It can be lifted.',
    see: 'http-api.md#regulations',
  },
  sync: {
    word: 'sync',
    means: 'Sends an identify call for every member again, also where nothing has changed.',
    see: 'people.md#what-is-told',
  },
  trackFilter: {
    word: 'track filter',
    means: 'A list of event names that a destination gets, or does not get.',
    see: 'delivery.md#routing',
  },
  trait: {
    word: 'trait',
    means: 'Something that identify calls say of a person, or group calls of a group, such as a plan.',
    see: 'people.md#what-is-kept',
  },
  userId: {
    word: 'user id',
    means: 'The id of a signed-in user. Audiences and computed traits name persons by it.',
    see: 'people.md#who-is-who',
  },
  waiting: {
    word: 'waiting',
    means: 'Accepted and stored, and not yet ended: its turn has not come, or it will be tried again.',
    see: 'delivery.md#states',
  },
  writeKey: {
    word: 'write key',
    means:
      'What a client sends with each call to name its source. It only permits sending, so it may stand in a web page.',
    see: 'http-api.md#sources',
  },
} as const;

export interface Term {
  readonly word: string;
  readonly means: string;
  readonly see: string;
}

export type TermName = keyof typeof TERMS;
