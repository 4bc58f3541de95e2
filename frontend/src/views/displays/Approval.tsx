import { Check, X } from 'lucide-react';
import { useId, useState } from 'react';
import { t } from '../../i18n';
import { readDraft, writeDraft } from '../../state/ui';
import { objectOf } from '../../transcript/object';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import type { DisplayProps } from './display';
import { Facts } from './Facts';
import { Prose } from './Prose';
import { facts, line, text } from './read';

/** A yes/no question with its details and an optional comment. */
export function Approval({ input, phase, ask }: DisplayProps) {
  const id = useId();
  const [comment, setComment] = useState(() => readDraft(ask.draftKey));
  const wantsComment = input['comment'] === true;
  const choose = (approved: boolean) => {
    const words = comment.trim();
    ask.send(words === '' ? { approved } : { approved, comment: words });
  };
  ask.onNumber((n) => {
    if (n <= 2) choose(n === 1);
  });
  const description = text(input['description']);
  const labels = {
    yes: line(input['approveLabel']) || t('displays.approve'),
    no: line(input['rejectLabel']) || t('displays.reject'),
  };
  return (
    <>
      <Prose text={description} phase={phase} quiet />
      <Facts of={facts(input['details'])} />
      {ask.open && wantsComment && (
        <div className="display-field">
          <label className="form-label" htmlFor={id}>
            {t('displays.comment')}
          </label>
          <textarea
            dir="auto"
            id={id}
            className="field"
            rows={2}
            value={comment}
            onChange={(event) => {
              setComment(event.target.value);
              writeDraft(ask.draftKey, event.target.value);
            }}
          />
        </div>
      )}
      {ask.open && (
        <div className="display-options" data-answers>
          <button
            type="button"
            className="option button primary"
            aria-disabled={ask.sending}
            onClick={() => choose(true)}
          >
            {oneLine(labels.yes)}
            <kbd aria-hidden>1</kbd>
          </button>
          <button
            type="button"
            className="option button"
            aria-disabled={ask.sending}
            onClick={() => choose(false)}
          >
            {oneLine(labels.no)}
            <kbd aria-hidden>2</kbd>
          </button>
        </div>
      )}
      <Decision
        answer={objectOf(ask.answer)}
        // The agent's own labels; without them, the default ones are enough.
        labels={{ yes: line(input['approveLabel']), no: line(input['rejectLabel']) }}
      />
    </>
  );
}

function Decision({
  answer,
  labels,
}: {
  answer: ReturnType<typeof objectOf>;
  labels: { yes: string; no: string };
}) {
  if (answer === null || typeof answer['approved'] !== 'boolean') return null;
  const { approved } = answer;
  const label = approved ? labels.yes : labels.no;
  const comment = text(answer['comment']);
  return (
    <div className="display-answer" data-answer={approved ? 'yes' : 'no'}>
      {approved ? <Check size={15} aria-hidden /> : <X size={15} aria-hidden />}
      <span>
        {t(approved ? 'displays.approved' : 'displays.rejected')}
        {label !== '' && <span className="quiet-text"> · {oneLine(label)}</span>}
      </span>
      {comment !== '' && (
        <blockquote className="display-comment">
          <Lines text={comment} />
        </blockquote>
      )}
    </div>
  );
}
