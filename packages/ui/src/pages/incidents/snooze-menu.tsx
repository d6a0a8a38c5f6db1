import { Button, Menu } from '@mantine/core';
import { IconBellOff } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Incident } from '../../../../server/src/admin/contract.ts';
import { incidentsApi } from '../../api/incidents.ts';
import { notifyDone, notifyFailed } from '../../components/notify.ts';
import { useMayChange } from '../../shell/session.ts';

const LENGTHS = [
  { for: '1h', label: '1 hour' },
  { for: '4h', label: '4 hours' },
  { for: '24h', label: '24 hours' },
  { for: '7d', label: '7 days' },
];

/** Chooses how long no notification about an incident is sent, except that it has ended. */
export function SnoozeMenu({ id, state, snoozedUntil, subject }: Incident): ReactElement | null {
  const snooze = useMutation(incidentsApi.snooze(id));
  if (!useMayChange() || state === 'ended') return null;
  const send = (body: Parameters<typeof snooze.mutate>[0], words: string): void =>
    void snooze.mutateAsync(body).then(() => notifyDone(words), notifyFailed('The incident was not snoozed'));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconBellOff size={14} aria-hidden />}
          loading={snooze.isPending}
          aria-label={`Snooze the incident of ${subject.name}`}
        >
          Snooze
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>No alerts but its end</Menu.Label>
        {LENGTHS.map(({ label, ...body }) => (
          <Menu.Item key={label} onClick={() => send(body, `No alerts of it for ${label}, but its end.`)}>
            {label}
          </Menu.Item>
        ))}
        {snoozedUntil !== null && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => send({ until: null }, 'Alerts of it are sent again.')}>Alert again</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
