import { Button, type ButtonProps } from '@mantine/core';
import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { ReactElement, Ref } from 'react';

interface PlainButtonProps extends Omit<ButtonProps, 'component'> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

function PlainButton(props: PlainButtonProps): ReactElement {
  return <Button component="a" {...props} />;
}

/** A link that looks like a button. The compiler checks the page's parameters and filters. */
export const ButtonLink: LinkComponent<typeof PlainButton> = createLink(PlainButton);
