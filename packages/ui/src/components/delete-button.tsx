import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Listed } from '../shell/things.ts';
import { ConfirmButton } from './confirm-button.tsx';
import { notifyDone } from './notify.ts';

interface Deleted {
  readonly id: string;
  readonly revision: number;
}

interface DeleteButtonProps {
  readonly kind: Listed;
  readonly of: Deleted & { readonly name: string };
  readonly remove: UseMutationOptions<void, Error, Deleted>;
  /** Text of the button. */
  readonly label: string;
  readonly icon?: ReactNode;
  /** What will be lost. */
  readonly children: ReactNode;
}

/** Deletes a thing after its name was typed, then opens the list of its kind. */
export function DeleteButton(props: DeleteButtonProps): ReactElement {
  const { kind, of, remove, label, icon, children } = props;
  const { id, name, revision } = of;
  const navigate = useNavigate();
  const { mutateAsync } = useMutation(remove);
  const confirm = async (): Promise<void> => {
    await mutateAsync({ id, revision });
    notifyDone(`“${name}” is deleted.`);
    // Unsaved changes of the deleted thing need no question.
    await navigate({ to: kind.list, ignoreBlocker: true });
  };
  return (
    <ConfirmButton
      label={label}
      button={{ variant: 'subtle', color: 'red', leftSection: icon }}
      title={`Delete the ${kind.noun} “${name}”?`}
      action={`Delete the ${kind.noun}`}
      typeFirst={name}
      onConfirm={confirm}
    >
      {children}
    </ConfirmButton>
  );
}
