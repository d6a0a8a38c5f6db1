import { Anchor, Group, List, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { sourcesApi } from '../../api/sources.ts';
import { webhooksOf } from '../../forms/webhook-draft.ts';
import classes from './switch-on-step.module.css';
import type { WizardDraft, WizardForm } from './wizard-draft.ts';

interface SwitchOnStepProps {
  readonly form: WizardForm;
  readonly onEdit: (step: number) => void;
}

/** All of it once more, and the switch. */
export function SwitchOnStep({ form, onEdit }: SwitchOnStepProps): ReactElement {
  const { data: sources = [] } = useQuery(sourcesApi.list());
  const { name, sourceIds, settings } = form.values;
  const chosen = sources.filter(({ id }) => sourceIds.includes(id));
  return (
    <Stack gap="md">
      <dl className={classes['summary']}>
        <Line label="Name" onEdit={() => onEdit(0)}>
          {name.trim()}
        </Line>
        <Line label="Sources" onEdit={() => onEdit(1)}>
          {chosen.map((source) => source.name).join(', ')}
        </Line>
        <Line label={settings.webhooks.length === 1 ? 'URL' : 'URLs'} onEdit={() => onEdit(2)}>
          <List listStyleType="none" size="sm">
            {webhooksOf(settings.webhooks).map(({ url, headers = {} }, i) => (
              <List.Item key={settings.webhooks[i]?.key}>
                {url}
                <HeaderNames names={Object.keys(headers)} />
              </List.Item>
            ))}
          </List>
        </Line>
        <Line label="Shared secret" onEdit={() => onEdit(3)}>
          {signedBy(settings)}
        </Line>
      </dl>
      <Switch
        label="Switch it on now"
        description="From then on every call that its sources send goes out. Switched off, nothing is sent."
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </Stack>
  );
}

interface LineProps {
  readonly label: string;
  readonly onEdit: () => void;
  readonly children: ReactNode;
}

function Line({ label, onEdit, children }: LineProps): ReactElement {
  return (
    <div className={classes['line']}>
      <dt>{label}</dt>
      <dd>
        <Group justify="space-between" align="baseline" wrap="nowrap" gap="sm">
          <div>{children}</div>
          <Anchor component="button" type="button" onClick={onEdit} aria-label={`Change: ${label}`}>
            Change
          </Anchor>
        </Group>
      </dd>
    </div>
  );
}

function HeaderNames({ names }: { readonly names: readonly string[] }): ReactElement | null {
  if (names.length === 0) return null;
  return <Text variant="aside">with {names.join(', ')}</Text>;
}

function signedBy({ sharedSecret, standardSecret }: WizardDraft['settings']): string {
  const schemes = [
    ...(sharedSecret === '' ? [] : ['X-Signature']),
    ...(standardSecret === '' ? [] : ['Standard Webhooks']),
  ];
  return schemes.length === 0 ? 'None: requests are not signed' : `Every request is signed: ${schemes.join(' and ')}`;
}
