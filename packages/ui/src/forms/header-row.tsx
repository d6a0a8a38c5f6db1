import { Group, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { IconButton } from '../components/icon-button.tsx';
import type { HeaderDraft } from './webhook-draft.ts';

interface HeaderRowProps {
  readonly header: HeaderDraft;
  /** `Header 1 of URL 2` */
  readonly label: string;
  readonly error: ReactNode;
  readonly onChange: (header: HeaderDraft) => void;
  readonly onRemove: () => void;
}

/** One static header: its name and its value. */
export function HeaderRow({ header, label, error, onChange, onRemove }: HeaderRowProps): ReactElement {
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        flex="1 1 120px"
        miw={0}
        aria-label={`${label}, name`}
        placeholder="X-Team"
        value={header.name}
        error={error}
        onChange={(event) => onChange({ ...header, name: event.currentTarget.value })}
      />
      <TextInput
        flex="2 1 160px"
        miw={0}
        aria-label={`${label}, value`}
        placeholder="growth"
        value={header.value}
        onChange={(event) => onChange({ ...header, value: event.currentTarget.value })}
      />
      <IconButton variant="default" size={36} icon={IconX} label={`Remove ${label}`} onClick={onRemove} />
    </Group>
  );
}
