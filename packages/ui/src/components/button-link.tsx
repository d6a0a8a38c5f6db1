import { Button, type ButtonProps } from '@mantine/core';
import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { ReactElement, Ref } from 'react';

interface PlainButtonProps extends Omit<ButtonProps, 'component'> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

function PlainButton(props: PlainButtonProps): ReactElement {
  return <Button component="a" {...props} />;
}

/** A link to a page that looks like a button, with its parameters and filters checked by the compiler. */
export const ButtonLink: LinkComponent<typeof PlainButton> = createLink(PlainButton);
