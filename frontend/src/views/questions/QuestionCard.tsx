import { ExternalLink } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { sayFailed } from '../../state/notify';
import { readDraft, writeDraft } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json, Permission } from '../../transcript/types';
import { lines, oneLine } from '../parts/clean';
import { hasFocus, isWanted, offerRequest } from '../tools/requests';
import { useDetail } from '../tools/useDetail';
import { useReading } from '../transcript/reading';
import { Field } from './Field';
import { type Answers, contentOf, flawOf, questionsOf } from './schema';
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
      sayFailed(t('failed.answer'), error);
    }
  };
  useEffect(() => (card.current === null ? undefined : offerRequest({ element: card.current })), []);
  // Who came here to answer is led to the first field.
  const ready = asked !== null;
  useEffect(() => {
    if (!ready || !isWanted(session.spaceId)) return;
    card.current?.querySelector<HTMLElement>('input, select, button')?.focus();
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

interface FormProps {
  id: string;
  draftKey: string;
  schema: Json | undefined;
  onSend(content: Json): void;
}

function Form({ id, draftKey, schema, onSend }: FormProps) {
  const questions = useMemo(() => questionsOf(schema), [schema]);
  const [answers, setAnswers] = useState<Answers>(() => draftOf(draftKey));
  const [checked, setChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const flaws = new Map(
    questions.map((question) => [
      question.name,
      flawOf(question, answers[question.name] ?? question.initial),
    ]),
  );
  const change = (next: Answers) => {
    setAnswers(next);
    writeDraft(draftKey, JSON.stringify(next));
  };
  return (
    <form
      ref={form}
      id={id}
      className="question-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        const first = questions.findIndex(({ name }) => flaws.get(name) !== null);
        if (first < 0) return onSend(contentOf(questions, answers));
        const fields = form.current?.querySelectorAll('.question-field')[first];
        fields?.querySelector<HTMLElement>('input, select, textarea')?.focus();
      }}
    >
      <div className="question-fields">
        {questions.map((question) => (
          <Field
            key={question.name}
            question={question}
            answer={answers[question.name] ?? question.initial}
            flaw={checked ? (flaws.get(question.name) ?? null) : null}
            onChange={(answer) => change({ ...answers, [question.name]: answer })}
          />
        ))}
      </div>
    </form>
  );
}

function draftOf(key: string): Answers {
  try {
    const value: unknown = JSON.parse(readDraft(key) || '{}');
    return typeof value === 'object' && value !== null ? (value as Answers) : {};
  } catch {
    return {};
  }
}
