import { Modal, type ModalProps } from '@mantine/core';
import { createContext, type ReactElement, useState } from 'react';

/** Tells the dialog around a form whether its call is under way. */
export const DialogBusy = createContext<(busy: boolean) => void>(() => undefined);

/** A dialog with a `DialogForm`: what was sent is waited for, since only the form shows its answer. */
export function FormDialog({ onClose, children, ...props }: ModalProps): ReactElement {
  const [busy, setBusy] = useState(false);
  return (
    <Modal {...props} onClose={() => busy || onClose()}>
      <DialogBusy value={setBusy}>{children}</DialogBusy>
    </Modal>
  );
}
