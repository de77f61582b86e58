/** A question with verbs for answers. The safe answer has the focus at first and is what Escape gives. */
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './button';

export type Answer = {
  readonly label: string;
  readonly isSafe?: boolean;
  readonly isDanger?: boolean;
  readonly isMain?: boolean;
  readonly onChoose: () => void;
};

type QuestionProps = { title: string; body?: string; answers: readonly Answer[] };

export function Question({ title, body, answers }: QuestionProps) {
  const safe = answers.find((answer) => answer.isSafe);
  return (
    <ModalOverlay
      className="scrim"
      isOpen
      isDismissable
      onOpenChange={(isOpen) => {
        if (!isOpen) safe?.onChoose();
      }}
    >
      <Modal className="modal">
        <Dialog className="dialog" role="alertdialog">
          <Heading slot="title" className="dialog-title">
            {title}
          </Heading>
          {body === undefined ? null : <p className="dialog-body">{body}</p>}
          <div className="dialog-actions">
            {answers.map((answer) => (
              <Button
                key={answer.label}
                variant={answer.isMain ? 'primary' : answer.isDanger ? 'danger' : 'default'}
                onPress={answer.onChoose}
                autoFocus={answer.isSafe === true}
              >
                {answer.label}
              </Button>
            ))}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
