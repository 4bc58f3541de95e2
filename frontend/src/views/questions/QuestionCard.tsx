import { ExternalLink } from 'lucide-react';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { sayFailed } from '../../state/notify';
import { readDraft, writeDraft } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json, Permission } from '../../transcript/types';
import { asCommandError } from '../../transport/transport';
import { lines, oneLine } from '../parts/clean';
import { count } from '../parts/numbers';
import { hasFocus, isWanted, offerRequest } from '../tools/requests';
import { useDetail } from '../tools/useDetail';
import { useReading } from '../transcript/reading';
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
import { useInput } from './useInput';
import './questions.css';

/** The name of the calls that are questions; see backend/runs. */
export const questionTool = 'weft/question';

interface QuestionCardProps {
  call: ToolCall;
  request: Permission;
  messageId: string;
  segment: number;
  item: number;
}

/** The agent asks for something only the person knows: a form, or an address to be opened. */
export function QuestionCard({ call, request, messageId, segment, item }: QuestionCardProps) {
  const { session } = useReading();
  const weft = useWeft();
  const detail = useDetail(call, messageId, segment, item);
  const [sent, setSent] = useState(false);
  const [unfit, setUnfit] = useState<Unfit | null>(null);
  const formId = useId();
  const card = useRef<HTMLElement>(null);
  const { requestId } = request;
  const asked = paramsOf(useInput(detail.call));

  const answer = async (action: 'accept' | 'decline' | 'cancel', content: Json = null) => {
    if (sent) return;
    setSent(true);
    try {
      await weft.transport.call('AnswerQuestion', { spaceId: session.spaceId, requestId, action, content });
      writeDraft(requestId, '');
    } catch (error) {
      setSent(false);
      const { code, detail: field } = asCommandError(error);
      if (code === 'does_not_fit') setUnfit({ field, content });
      else sayFailed(t('failed.answer'), error);
    }
  };
  useEffect(() => (card.current === null ? undefined : offerRequest({ element: card.current })), []);
  // Who came here to answer is led to the first field.
  const ready = asked !== null;
  useEffect(() => {
    if (!ready || !isWanted(session.spaceId)) return;
    card.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
    hasFocus();
  }, [ready, session]);
  return (
    <section
      ref={card}
      className="permission question"
      aria-label={t('question.label', { title: oneLine(call.title) })}
    >
      <h3 className="permission-title">{t('question.title')}</h3>
      <p className="question-words">{lines(call.title)}</p>
      {asked === null && <p className="quiet-text late">{t('loading')}</p>}
      {asked !== null && asked.url !== '' && <Address url={asked.url} />}
      {asked !== null && asked.url === '' && (
        <Form
          id={formId}
          draftKey={requestId}
          schema={asked.schema}
          unfit={unfit}
          onSend={(content) => void answer('accept', content)}
        />
      )}
      <div className="permission-options">
        {asked !== null && asked.url === '' && (
          <button type="submit" form={formId} className="button primary" disabled={sent}>
            {t('question.send')}
          </button>
        )}
        {asked !== null && isWeb(asked.url) && (
          <button
            type="button"
            className="button primary"
            disabled={sent}
            onClick={() => {
              weft.openLink(asked.url);
              void answer('accept');
            }}
          >
            <ExternalLink size={14} aria-hidden />
            {t('question.open')}
          </button>
        )}
        <button type="button" className="button" disabled={sent} onClick={() => void answer('decline')}>
          {t('question.decline')}
        </button>
        <button type="button" className="button plain" disabled={sent} onClick={() => void answer('cancel')}>
          {t('question.cancel')}
        </button>
      </div>
    </section>
  );
}

interface Params {
  url: string;
  schema: Json | undefined;
}

function paramsOf(input: Json | undefined): Params | null {
  const asked = objectOf(input);
  if (asked === null) return null;
  const { url, mode, requestedSchema } = asked;
  return { url: mode === 'url' && typeof url === 'string' ? url : '', schema: requestedSchema };
}

function isWeb(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** An address is opened only by who has seen the whole of it. */
function Address({ url }: { url: string }) {
  const web = isWeb(url);
  return (
    <>
      <p className="question-url">
        {web && <span className="question-host">{oneLine(new URL(url).host)}</span>}
        <code className="mono">{oneLine(url)}</code>
      </p>
      {!web && <p className="field-error">{t('question.noWeb')}</p>}
    </>
  );
}

/** An answer that has not the form that the agent wants, and the field that it is about. */
interface Unfit {
  field: string;
  content: Json;
}

interface FormProps {
  id: string;
  draftKey: string;
  schema: Json | undefined;
  unfit: Unfit | null;
  onSend(content: Json): void;
}

/** More fields than this are counted, so that one knows how far one has come. */
const many = 20;
const whole = 'answer';

function Form({ id, draftKey, schema, unfit, onSend }: FormProps) {
  const plain = isForm(schema);
  const questions = useMemo(() => (plain ? questionsOf(schema) : [anything()]), [schema, plain]);
  const [answers, setAnswers] = useState<Answers>(() => draftOf(draftKey));
  const [checked, setChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const flaw = (question: Question): Flaw | null => {
    const answer = answers[question.name] ?? question.initial;
    const said = objectOf(unfit?.content ?? null)?.[question.name];
    if (unfit?.field === question.name && said === answer) return { key: 'pattern' };
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
    if (unfit !== null) focus(unfit.field);
  }, [unfit, focus]);
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

/** The same object for the same flaw, so that a field that did not change is not drawn again. */
function stable(flaw: Flaw | null): Flaw | null {
  if (flaw === null) return null;
  const key = JSON.stringify(flaw);
  const seen = flawsSeen.get(key);
  if (seen === undefined && flawsSeen.size < 1000) flawsSeen.set(key, flaw);
  return seen ?? flaw;
}

/** The question of a schema that is no form: whatever object the agent may want. */
function anything(): Question {
  const [question] = questionsOf({ properties: { [whole]: { type: 'object', title: t('question.json') } } });
  if (question === undefined) throw new Error('a form without a field');
  return { ...question, required: true, initial: '{}' };
}

function draftOf(key: string): Answers {
  try {
    const value: unknown = JSON.parse(readDraft(key) || '{}');
    return typeof value === 'object' && value !== null ? (value as Answers) : {};
  } catch {
    return {};
  }
}
