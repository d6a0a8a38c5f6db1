import { Modal, type ModalProps } from '@mantine/core';
import { createContext, type ReactElement, use, useEffect, useState } from 'react';

const DialogBusy = createContext<(busy: boolean) => void>(() => undefined);

/** Tells the dialog around a form whether its call is under way. */
export function useDialogBusy(busy: boolean): void {
  const tell = use(DialogBusy);
  useEffect(() => {
    tell(busy);
    return () => tell(false);
  }, [tell, busy]);
}

/** A dialog with a form that calls `useDialogBusy`: what was sent is waited for, since only the form shows its answer. */
export function FormDialog({ onClose, children, ...props }: ModalProps): ReactElement {
  const [busy, setBusy] = useState(false);
  return (
    <Modal {...props} onClose={() => busy || onClose()}>
      <DialogBusy value={setBusy}>{children}</DialogBusy>
    </Modal>
  );
}
