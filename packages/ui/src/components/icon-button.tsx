import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { ComponentType, ReactElement } from 'react';

interface IconButtonProps extends ActionIconProps {
  readonly icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  /** What the button does, on hover and for screen readers. */
  readonly label: string;
  readonly onClick: () => void;
}

/** A button that shows only an icon. */
export function IconButton({ icon: Icon, label, ...button }: IconButtonProps): ReactElement {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="md" aria-label={label} {...button}>
        <Icon size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
