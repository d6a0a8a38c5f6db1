import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useEffect, useRef } from 'react';
import { RULE_CODES } from '../../../server/src/alerts/rules.ts';
import { destinationsApi } from '../api/destinations.ts';
import { sourcesApi } from '../api/sources.ts';
import { Time } from '../components/time.tsx';
import { FIELD_WORDS, ownRulesWords, ruleWords, valueWords } from '../format/fields.ts';
import type { EditedThing, EditForm } from './use-edit-form.ts';

type ConflictNoteProps = Pick<EditForm<never>, 'conflict' | 'takeTheirs' | 'keepMine' | 'busy'>;

const SECRETS = { 'settings.sharedSecret': 'sharedSecret', 'settings.standardSecret': 'standardSecret' } as const;

function isSecret(field: string): field is keyof typeof SECRETS {
  return Object.hasOwn(SECRETS, field);
}

function isSecretGone({ settings }: EditedThing, field: string): boolean {
  return isSecret(field) && settings?.[SECRETS[field]]?.set === false;
}

/** What a colleague changed while the form was open: both versions, and the choice between them. */
export function ConflictNote({ conflict, takeTheirs, keepMine, busy }: ConflictNoteProps): ReactElement | null {
  const { data: sources = [] } = useQuery({ ...sourcesApi.list(), enabled: conflict !== null });
  const { data: destinations = [] } = useQuery({ ...destinationsApi.list(), enabled: conflict !== null });
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (conflict?.theirs) box.current?.focus();
  }, [conflict?.theirs]);
  if (!conflict) return null;
  const names = new Map([...sources, ...destinations].map(({ id, name }) => [id, name]));
  const [last] = conflict.changes;
  return (
    <Alert ref={box} tabIndex={-1} role="alert" color="yellow" title="This was changed while you were editing">
      <Stack gap="sm">
        {last && (
          <Text>
            <b>{last.actor}</b>, <Time at={last.at} />. Nothing of yours is saved yet.
          </Text>
        )}
        <Table
          aria-label="Theirs and yours"
          layout="fixed"
          horizontalSpacing={6}
          style={{ overflowWrap: 'anywhere' }}
          data={{
            head: ['Field', 'Theirs', 'Yours'],
            body: conflict.fields.map(({ field, theirs, mine }) => [
              FIELD_WORDS[field] ?? field,
              isSecretGone(conflict.theirs, field) ? 'no secret' : wordsOf(field, theirs, names),
              wordsOf(field, mine, names),
            ]),
          }}
        />
        <Group gap="xs">
          <Button variant="default" onClick={takeTheirs} disabled={busy}>
            Take theirs
          </Button>
          <Button onClick={keepMine} loading={busy}>
            Keep mine over it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function wordsOf(field: string, value: unknown, names: ReadonlyMap<string, string>): string {
  if (isSecret(field)) return 'a new secret';
  if (field === 'alerts') return ownRulesWords(Object(value));
  const rule = RULE_CODES.find((code) => field === `rules.${code}`);
  return rule ? ruleWords(rule, Object(value)) : valueWords(value, names);
}
