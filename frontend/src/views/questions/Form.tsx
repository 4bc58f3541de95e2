import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { readDraftValue, writeDraft } from '../../state/ui';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { count } from '../parts/numbers';
import { Field } from './Field';
import {
  type Answer,
  type Answers,
  contentOf,
  type Flaw,
  flawOf,
  isForm,
  jsonOf,
  type Question,
  questionsOf,
} from './schema';
import './questions.css';

/** An answer that doesn't match the agent's schema, and its field. */
export interface InvalidAnswer {
  field: string;
  content: Json;
}

interface FormProps {
  id: string;
  draftKey: string;
  schema: Json | undefined;
  invalid: InvalidAnswer | null;
  onSend(content: Json): void;
}

/** A form with more fields shows their number, to indicate progress. */
const many = 20;
const whole = 'answer';

/** The fields of a form. Input is saved until the form is answered. */
export function Form({ id, draftKey, schema, invalid, onSend }: FormProps) {
  const plain = isForm(schema);
  const questions = useMemo(() => (plain ? questionsOf(schema) : [objectQuestion()]), [schema, plain]);
  const [answers, setAnswers] = useState<Answers>(() => draftOf(draftKey));
  const [checked, setChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const flaw = (question: Question): Flaw | null => {
    const answer = answers[question.name] ?? question.initial;
    const said = objectOf(invalid?.content ?? null)?.[question.name];
    if (invalid?.field === question.name && said === answer) return { key: 'pattern' };
    const found = flawOf(question, answer);
    return found === null && !plain && objectOf(jsonOf(String(answer))) === null ? { key: 'json' } : found;
  };
  const change = useCallback((name: string, answer: Answer) => {
    setAnswers((before) => ({ ...before, [name]: answer }));
  }, []);
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) writeDraft(draftKey, JSON.stringify(answers));
    first.current = false;
  }, [answers, draftKey]);
  const focus = useCallback(
    (name: string) => {
      const at = questions.findIndex((question) => question.name === name);
      const field = form.current?.querySelectorAll('.question-field')[at];
      field?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    },
    [questions],
  );
  useEffect(() => {
    if (invalid !== null) focus(invalid.field);
  }, [invalid, focus]);
  const flaws = checked ? questions.filter((question) => flaw(question) !== null) : [];
  return (
    <form
      ref={form}
      id={id}
      className="question-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        const wrong = questions.find((question) => flaw(question) !== null);
        if (wrong !== undefined) return focus(wrong.name);
        onSend(plain ? contentOf(questions, answers) : (jsonOf(String(answers[whole] ?? '{}')) ?? null));
      }}
    >
      {!plain && <p className="form-note">{t('question.noForm')}</p>}
      {questions.length > many && (
        <p className="form-note tabular" role="status">
          {t('question.progress', {
            done: count(questions.filter(({ name }) => isAnswered(answers[name])).length),
            n: count(questions.length),
          })}
          {flaws.length > 0 && ` ${t('question.flaws', { count: flaws.length, n: count(flaws.length) })}`}
        </p>
      )}
      <div className="question-fields" data-many={questions.length > many}>
        {questions.map((question) => (
          <Field
            key={question.name}
            question={question}
            answer={answers[question.name] ?? question.initial}
            flaw={checked ? stable(flaw(question)) : null}
            onChange={change}
          />
        ))}
      </div>
    </form>
  );
}

function isAnswered(answer: Answer | undefined): boolean {
  return answer !== undefined && answer !== '' && (!Array.isArray(answer) || answer.length > 0);
}

const flawsSeen = new Map<string, Flaw>();

/** Returns the same object for the same error, so that unchanged fields don't re-render. */
function stable(flaw: Flaw | null): Flaw | null {
  if (flaw === null) return null;
  const key = JSON.stringify(flaw);
  const seen = flawsSeen.get(key);
  if (seen === undefined && flawsSeen.size < 1000) flawsSeen.set(key, flaw);
  return seen ?? flaw;
}

/** The question for a schema that isn't a form: any object. */
function objectQuestion(): Question {
  const [question] = questionsOf({ properties: { [whole]: { type: 'object', title: t('question.json') } } });
  if (question === undefined) throw new Error('a form without a field');
  return { ...question, required: true, initial: '{}' };
}

function draftOf(key: string): Answers {
  const value = readDraftValue(key);
  return typeof value === 'object' && value !== null ? (value as Answers) : {};
}
