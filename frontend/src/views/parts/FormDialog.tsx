import { Dialog } from '@base-ui/react/dialog';
import { type ComponentProps, type ReactNode, useRef } from 'react';

interface FormDialogProps extends Pick<ComponentProps<typeof Dialog.Popup>, 'ref' | 'initialFocus'> {
  title: string;
  className?: string;
  onClose(): void;
  children: ReactNode;
}

/**
 * A dialog with a form. Once something was entered, clicking outside no longer closes it, so that nothing is lost by
 * accident.
 */
export function FormDialog({ title, className = '', onClose, children, ...popup }: FormDialogProps) {
  const filled = useRef(false);
  return (
    <Dialog.Root
      open
      onOpenChange={(open, { reason }) => {
        if (!open && !(reason === 'outside-press' && filled.current)) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          className={`dialog ${className}`.trim()}
          onInput={() => {
            filled.current = true;
          }}
          {...popup}
        >
          <Dialog.Title className="dialog-title">{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
