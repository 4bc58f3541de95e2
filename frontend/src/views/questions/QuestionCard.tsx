import { ExternalLink } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { openLink } from '../../commands/links';
import { answerQuestion } from '../../commands/permissions';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { showFailure } from '../../state/notify';
import { writeDraft } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json, Permission } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines, WholeLine } from '../parts/Lines';
import { useGuard } from '../requests/guard';
import { useRegisteredRequest } from '../requests/useRegisteredRequest';
import { holdTool } from '../tools/callWords';
import { useDetail } from '../tools/useDetail';
import { useReading } from '../transcript/reading';
import { Form, type InvalidAnswer } from './Form';
import { useInput } from './useInput';
import './questions.css';

interface QuestionCardProps {
  call: ToolCall;
  request: Permission;
  messageId: string;
  segment: number;
  item: number;
}

/**
 * The agent asks for something that only the user knows: a form, or a URL to open. Also used when Weft asks how to send
 * a prompt.
 */
export function QuestionCard({ call, request, messageId, segment, item }: QuestionCardProps) {
  const { session, hold } = useReading();
  const weft = useWeft();
  const detail = useDetail(call, messageId, segment, item);
  const [sent, setSent] = useState(false);
  const [unfit, setUnfit] = useState<InvalidAnswer | null>(null);
  const formId = useId();
  const card = useRef<HTMLElement>(null);
  const { requestId } = request;
  const own = call.toolName === holdTool;
  const title = own ? translated(call.title) : call.title;
  const asked = paramsOf(useInput(detail.call), own);
  const guard = useGuard(card, true, hold);
  useRegisteredRequest(card, { ids: [requestId], active: asked !== null });

  const answer = async (action: 'accept' | 'decline' | 'cancel', content: Json = null) => {
    if (sent || !guard.ready()) return;
    setSent(true);
    try {
      await answerQuestion(weft, { spaceId: session.spaceId, requestId, action, content });
      writeDraft(requestId, '');
    } catch (error) {
      setSent(false);
      const { code, detail: field } = asCommandError(error);
      if (code === 'does_not_fit') setUnfit({ field, content });
      else showFailure(t('failed.answer'), error);
    }
  };
  return (
    <section
      ref={card}
      tabIndex={-1}
      className="permission question"
      aria-label={title === '' ? t('question.title') : t('question.label', { title: oneLine(title) })}
    >
      <h3 className="permission-title">{own ? t('hold.title') : t('question.title')}</h3>
      <p className="question-text">
        <Lines text={title} />
      </p>
      {asked === null && <p className="quiet-text delayed">{t('loading')}</p>}
      {asked !== null && asked.url !== '' && <Address url={asked.url} />}
      {asked !== null && asked.url === '' && (
        <div data-entry>
          <Form
            id={formId}
            draftKey={requestId}
            schema={asked.schema}
            invalid={unfit}
            onSend={(content) => void answer('accept', content)}
          />
        </div>
      )}
      <div className="permission-options" data-answers>
        {asked !== null && asked.url === '' && (
          <button type="submit" form={formId} className="button primary" {...inactiveWhile(sent)}>
            {own ? t('hold.send') : t('question.send')}
          </button>
        )}
        {asked !== null && isWeb(asked.url) && (
          <button
            type="button"
            className="button primary"
            {...inactiveWhile(sent)}
            onClick={() => {
              if (!guard.ready()) return;
              openLink(weft, asked.url);
              void answer('accept');
            }}
          >
            <ExternalLink size={14} aria-hidden />
            {t('question.open')}
          </button>
        )}
        <button
          type="button"
          className="button"
          {...inactiveWhile(sent)}
          onClick={() => void answer('decline')}
        >
          {own ? t('hold.stop') : t('question.decline')}
        </button>
        {!own && (
          <button
            type="button"
            className="button plain"
            {...inactiveWhile(sent)}
            onClick={() => void answer('cancel')}
          >
            {t('question.cancel')}
          </button>
        )}
      </div>
    </section>
  );
}

interface Params {
  url: string;
  schema: Json | undefined;
}

function paramsOf(input: Json | undefined, own: boolean): Params | null {
  const asked = objectOf(input);
  if (asked === null) return null;
  const { url, mode, requestedSchema } = asked;
  return {
    url: mode === 'url' && typeof url === 'string' ? url : '',
    schema: own ? translatedSchema(requestedSchema) : requestedSchema,
  };
}

/** Translates the options of Weft's own question. */
function translatedSchema(schema: Json | undefined): Json | undefined {
  const choice = objectOf(objectOf(objectOf(schema)?.['properties'])?.['choice']);
  const ways = choice?.['oneOf'];
  if (!Array.isArray(ways)) return schema;
  const oneOf = ways.map((way) => {
    const said = objectOf(way)?.['title'];
    return typeof said === 'string' ? { ...objectOf(way), title: translated(said) } : way;
  });
  return {
    type: 'object',
    required: ['choice'],
    properties: { choice: { ...choice, oneOf, title: t('hold.ways') } },
  };
}

function isWeb(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** A URL can only be opened after all of it has been visible. */
function Address({ url }: { url: string }) {
  const web = isWeb(url);
  return (
    <>
      <p className="question-url">
        {web && <span className="question-host">{oneLine(new URL(url).host)}</span>}
        <code className="mono">
          <WholeLine text={url} />
        </code>
      </p>
      {!web && <p className="field-error">{t('question.noWeb')}</p>}
    </>
  );
}
