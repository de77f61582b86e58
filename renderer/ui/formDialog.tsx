/** A dialog with fields of its own. Escape and a click beside it close it without doing anything. */
import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

type FormDialogProps = {
  title: string;
  onClose: () => void;
  actions: ReactNode;
  children: ReactNode;
  /** For tables and forms with several columns. */
  isWide?: boolean;
};

export function FormDialog({ title, onClose, actions, children, isWide = false }: FormDialogProps) {
  return (
    <ModalOverlay
      className="scrim"
      isOpen
      isDismissable
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className={`modal${isWide ? ' modal-wide' : ''}`}>
        <Dialog className="dialog">
          <Heading slot="title" className="dialog-title">
            {title}
          </Heading>
          <div className="dialog-form">{children}</div>
          <div className="dialog-actions">{actions}</div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
