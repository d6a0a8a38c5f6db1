import type { AuditEntry } from '../../../../server/src/admin/contract.ts';

/** The words of an action, which stand between the actor and the object. An action that is not listed is shown by its name. */
const VERBS: Readonly<Record<string, string>> = {
  'source.create': 'created the source',
  'source.update': 'changed the source',
  'source.delete': 'deleted the source',
  'source.rotate_key': 'gave a new write key to the source',
  'source.end_old_key': 'ended the old write key of the source',
  'destination.create': 'created the destination',
  'destination.update': 'changed the destination',
  'destination.pause': 'paused the destination',
  'destination.resume': 'resumed the destination',
  'destination.delete': 'deleted the destination',
  'destination.test': 'sent a test message to the destination',
  'url.check': 'checked a URL',
  'message.send_again': 'sent the message again',
  'replay.create': 'started the replay',
  'replay.stop': 'stopped the replay',
  'audience.create': 'created the audience',
  'audience.update': 'changed the audience',
  'audience.delete': 'deleted the audience',
  'audience.sync': 'told destinations again of the audience',
  'audience.export': 'exported the members of the audience',
  'trait.create': 'created the computed trait',
  'trait.update': 'changed the computed trait',
  'trait.delete': 'deleted the computed trait',
  'trait.sync': 'told destinations again of the computed trait',
  'trait.export': 'exported the values of the computed trait',
  'person.join': 'joined two ids of a person',
  'person.take_out': 'took an id out of a person',
  'profiles.rebuild': 'began to rebuild the profiles',
  'regulation.create': 'requested the deletion',
  'regulation.compact': 'asked for a compaction of the files',
  'regulation.delete': 'deleted the record of the deletion',
  'suppression.lift': 'lifted the suppression of the user',
  'incident.snooze': 'snoozed the incident',
  'alerts.update': 'changed the rules and addresses of alerts',
  'alerts.test': 'sent a test to the addresses of alerts',
  'loopback.allow': 'allowed webhooks to this machine until the service ends',
  'loss.note': 'took note of the loss',
  'backup.create': 'began the backup',
  'settings.apply': 'applied a settings file',
  'session.create': 'signed in',
  'session.refuse': 'failed to sign in',
  'session.delete': 'signed out',
  'session.end': 'ended a session',
  'session.change_password': 'changed their password',
  'account.update': 'changed the account of',
  'account.delete': 'deleted the account of',
  'invite.create': 'invited',
  'invite.delete': 'revoked the invite for',
  'invite.accept': 'accepted their invite',
  'token.create': 'created the API token',
  'token.delete': 'revoked the API token',
  'token.refuse': 'sent a wrong token',
};

/** Beginnings of actions, for the filter of the audit log. */
export const ACTION_GROUPS: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'source.', label: 'Sources' },
  { value: 'destination.', label: 'Destinations' },
  { value: 'message.', label: 'Messages' },
  { value: 'replay.', label: 'Replays' },
  { value: 'audience.', label: 'Audiences' },
  { value: 'trait.', label: 'Computed traits' },
  { value: 'regulation.', label: 'Deletion' },
  { value: 'suppression.', label: 'Suppression' },
  { value: 'alerts.', label: 'Alerts' },
  { value: 'incident.', label: 'Incidents' },
  { value: 'settings.', label: 'Settings files' },
  { value: 'backup.', label: 'Backups' },
  { value: 'session.', label: 'Sign-in' },
  { value: 'session.refuse', label: 'Failed sign-in' },
  { value: 'account.', label: 'Accounts' },
  { value: 'invite.', label: 'Invites' },
  { value: 'token.', label: 'API tokens' },
  { value: 'token.refuse', label: 'Wrong tokens' },
  { value: 'url.', label: 'URL checks' },
];

export interface AuditWords {
  readonly verb: string;
  /** The object's name, else its id; null if the words need no object. */
  readonly object: string | null;
}

export function auditWords({ action, target }: Pick<AuditEntry, 'action' | 'target'>): AuditWords {
  const verb = VERBS[action] ?? action;
  const speaksForItself = action === 'invite.accept' || target === null;
  return { verb, object: speaksForItself ? null : (target.name ?? target.id) };
}
