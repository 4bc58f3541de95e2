import { useId } from 'react';

interface FieldProps {
  label: string;
  note?: string | undefined;
  /** Content at the end of the label's line. */
  aside?: React.ReactNode;
  children: (control: { id: string; 'aria-describedby': string | undefined }) => React.ReactNode;
}

/** A label with its control and a note. The control receives the given attributes. */
export function Field({ label, note, aside, children }: FieldProps) {
  const id = useId();
  const noteId = note === undefined ? undefined : `${id}-note`;
  return (
    <div className="form-field">
      <div className="form-head">
        <label className="form-label" htmlFor={id}>
          {label}
        </label>
        {aside}
      </div>
      {children({ id, 'aria-describedby': noteId })}
      {note !== undefined && (
        <span id={noteId} className="form-note">
          {note}
        </span>
      )}
    </div>
  );
}
