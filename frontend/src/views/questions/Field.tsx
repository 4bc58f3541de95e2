import { memo, useId } from 'react';
import { t } from '../../i18n';
import { oneLine } from '../parts/clean';
import { Lines, WholeLine } from '../parts/Lines';
import type { Answer, Flaw, Question } from './schema';

interface FieldProps {
  question: Question;
  answer: Answer;
  flaw: Flaw | null;
  onChange(name: string, answer: Answer): void;
}

/** Up to this many choices are side by side; more are in a list. */
const few = 5;

/** One question of a form. Memoized, so that only the changed one re-renders. */
export const Field = memo(function Field(props: FieldProps) {
  const { question, flaw } = props;
  const id = useId();
  const notes = [question.description !== '' && `${id}-note`, flaw !== null && `${id}-flaw`].filter(Boolean);
  const control = { id, 'aria-invalid': flaw !== null, 'aria-describedby': notes.join(' ') || undefined };
  const group = question.kind === 'choices' || (question.kind === 'choice' && question.choices.length <= few);
  const title = (
    <>
      {oneLine(question.title)}
      {question.required && (
        <span className="question-must" title={t('question.required')}>
          <span aria-hidden> *</span>
          <span className="visually-hidden"> {t('question.required')}</span>
        </span>
      )}
    </>
  );
  const rest = (
    <>
      {question.description !== '' && (
        <span id={`${id}-note`} className="form-note">
          <Lines text={question.description} />
        </span>
      )}
      {flaw !== null && (
        <span id={`${id}-flaw`} className="field-error">
          {t(`question.flaw.${flaw.key}`, 'n' in flaw ? { n: flaw.n } : {})}
        </span>
      )}
    </>
  );
  if (group) {
    return (
      <fieldset className="question-field" aria-describedby={control['aria-describedby']}>
        <legend className="form-label">{title}</legend>
        <Choices {...props} />
        {rest}
      </fieldset>
    );
  }
  if (question.kind === 'boolean') {
    return (
      <div className="question-field">
        <label className="check">
          <input
            {...control}
            type="checkbox"
            checked={props.answer === true}
            onChange={(event) => props.onChange(question.name, event.target.checked)}
          />
          {title}
        </label>
        {rest}
      </div>
    );
  }
  return (
    <div className="question-field">
      <label className="form-label" htmlFor={id}>
        {title}
      </label>
      {question.kind === 'choice' ? (
        <select
          {...control}
          className="field"
          value={String(props.answer)}
          onChange={(event) => props.onChange(question.name, event.target.value)}
        >
          <option value="">{t('question.choose')}</option>
          {question.choices.map(({ value, title: name }) => (
            <option key={value} value={value}>
              {oneLine(name)}
            </option>
          ))}
        </select>
      ) : question.kind === 'json' ? (
        <textarea
          dir="auto"
          {...control}
          className="field mono"
          rows={3}
          spellCheck={false}
          value={String(props.answer)}
          onChange={(event) => props.onChange(question.name, event.target.value)}
        />
      ) : (
        <input
          {...control}
          className="field"
          type={inputType(question)}
          inputMode={question.kind === 'number' ? 'decimal' : undefined}
          autoComplete="off"
          value={String(props.answer)}
          onChange={(event) => props.onChange(question.name, event.target.value)}
        />
      )}
      {rest}
    </div>
  );
});

function Choices({ question, answer, onChange }: FieldProps) {
  const name = useId();
  const many = Array.isArray(answer);
  return (
    <span className="question-choices">
      {question.choices.map(({ value, title, description }) => {
        const chosen = many ? answer.includes(value) : answer === value;
        return (
          <label key={value} className="question-choice">
            <input
              type={many ? 'checkbox' : 'radio'}
              name={name}
              checked={chosen}
              onChange={() => {
                if (!many) onChange(question.name, value);
                else
                  onChange(
                    question.name,
                    chosen ? answer.filter((one) => one !== value) : [...answer, value],
                  );
              }}
            />
            <span>
              <WholeLine text={title} />
              {description !== undefined && (
                <span className="form-note">
                  {' '}
                  <WholeLine text={description} />
                </span>
              )}
            </span>
          </label>
        );
      })}
    </span>
  );
}

function inputType({ kind, format }: Question): string {
  if (kind === 'number') return 'text';
  switch (format) {
    case 'email':
      return 'email';
    case 'uri':
      return 'url';
    case 'date':
      return 'date';
    case 'date-time':
      return 'datetime-local';
    default:
      return 'text';
  }
}
