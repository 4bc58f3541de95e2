import { ArrowRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { blobText } from '../../commands/blobs';
import { t } from '../../i18n';
import { formatList } from '../../i18n/formats';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { type SpaceTool, spaceToolOf } from '../../transcript/looks';
import type { ToolCall } from '../../transcript/model';
import type { Json } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { clock, count, exact } from '../parts/numbers';
import { titleOf } from '../parts/spaceTitle';
import { WritingView } from '../tools/WritingView';
import { isWritten, shownOf } from '../tools/writing';
import type { DisplayProps } from './display';
import { Prose } from './Prose';
import { type Fields, line } from './read';
import { answerOf, messagesIn, runsIn, spacesIn } from './spaceResult';

/** Most entries shown of a long list. */
const most = 50;
/** Most characters shown of one message: its space has all of it. */
const longest = 2000;

/** A call of a space tool as a display (decision 0027). */
export function SpaceToolView({ input, call, phase }: DisplayProps) {
  const said = useFirstText(call);
  const tool = spaceToolOf(call.toolName);
  if (tool === null) return null;
  const writes = isWritten(call) ? shownOf(call) : null;
  if (tool === 'sendSpaceMessage')
    return (
      <>
        {writes !== null && phase === 'writing' ? (
          <WritingView call={call} text={writes} />
        ) : (
          <Sent input={input} answer={answerOf(tool, call.output, said)} />
        )}
      </>
    );
  const answer = answerOf(tool, call.output, said);
  if (answer === null) {
    if (phase === 'failed') return null; // the reason is shown below
    return (
      <p className="quiet-text">
        {t(phase === 'shown' && call.status === 'completed' ? 'spaceTools.noResult' : 'spaceTools.waits')}
      </p>
    );
  }
  return <Answer tool={tool} answer={answer} spaceId={line(input['spaceId'])} />;
}

function Answer({ tool, answer, spaceId }: { tool: SpaceTool; answer: Fields; spaceId: string }) {
  switch (tool) {
    case 'listSpaces':
      return <Spaces answer={answer} />;
    case 'getMyRuns':
      return <Runs answer={answer} />;
    default:
      return <Messages answer={answer} spaceId={spaceId} />;
  }
}

function Sent({ input, answer }: { input: Fields; answer: Fields | null }) {
  const weft = useWeft();
  const spaceId = line(input['spaceId']);
  const mention = oneLine(line(input['mention']));
  const reply = typeof answer?.['reply'] === 'string' ? answer['reply'] : '';
  const from = oneLine(line(answer?.['from'])) || mention;
  return (
    <>
      <Prose text={typeof input['text'] === 'string' ? input['text'] : ''} phase="shown" />
      {mention !== '' && <p className="quiet-text">{t('spaceTools.mentions', { name: mention })}</p>}
      {reply !== '' && (
        <section className="space-reply">
          <h4 dir="auto" className="display-part">
            {from === '' ? t('spaceTools.reply') : t('spaceTools.replyOf', { name: from })}
          </h4>
          <Prose text={reply} phase="shown" />
        </section>
      )}
      {typeof answer?.['messageId'] === 'string' && (
        <GoToMessage spaceId={spaceId} go={() => weft.goTo(spaceId, String(answer['messageId']))} />
      )}
    </>
  );
}

function Spaces({ answer }: { answer: Fields }) {
  const spaces = spacesIn(answer);
  if (spaces.length === 0) return <p className="quiet-text">{t('spaceTools.noSpaces')}</p>;
  return (
    <ul className="space-list">
      {spaces.slice(0, most).map(({ id, name, folder, members, current }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
        <li key={i}>
          <SpaceName id={id} name={name} />
          {current && <span className="tag">{t('spaceTools.current')}</span>}
          <span className="quiet-text">
            {[folder, members.length > 0 ? t('spaceTools.with', { names: formatList(members) }) : '']
              .filter((one) => one !== '')
              .map(oneLine)
              .join(' · ')}
          </span>
        </li>
      ))}
      <More n={spaces.length} />
    </ul>
  );
}

function SpaceName({ id, name }: { id: string; name: string }) {
  const weft = useWeft();
  const title = useSpaceTitle(id);
  return title === null ? (
    <span className="space-name">{oneLine(name) || t('space.untitled')}</span>
  ) : (
    <button type="button" className="text-button space-name" onClick={() => weft.select(id)}>
      {title}
    </button>
  );
}

function Messages({ answer, spaceId }: { answer: Fields; spaceId: string }) {
  const weft = useWeft();
  const messages = messagesIn(answer);
  if (messages.length === 0) return <p className="quiet-text">{t('spaceTools.noMessages')}</p>;
  return (
    <>
      <ul className="space-messages">
        {messages.slice(0, most).map(({ id, author, text, at }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
          <li key={i}>
            <span className="space-name">{oneLine(author)}</span>
            {at > 0 && (
              <time className="quiet-text tabular" title={exact(at)}>
                {clock(at)}
              </time>
            )}
            <Prose text={text.length > longest ? `${text.slice(0, longest)}…` : text} phase="shown" />
            <GoToMessage spaceId={spaceId} go={() => weft.goTo(spaceId, id)} />
          </li>
        ))}
      </ul>
      <More n={messages.length} />
    </>
  );
}

function Runs({ answer }: { answer: Fields }) {
  const runs = runsIn(answer);
  if (runs.length === 0) return <p className="quiet-text">{t('spaceTools.noRuns')}</p>;
  return (
    <ul className="space-list">
      {runs.slice(0, most).map((run, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
        <Run key={i} {...run} />
      ))}
      <More n={runs.length} />
    </ul>
  );
}

function Run({ spaceId, state, startedAt, messages }: ReturnType<typeof runsIn>[number]) {
  const weft = useWeft();
  const title = useSpaceTitle(spaceId);
  const n = messages.length;
  return (
    <li>
      <span className="space-name">{title ?? t('spaceTools.gone')}</span>
      <span className="tag">{oneLine(state)}</span>
      <span className="quiet-text">
        {startedAt > 0 && <time title={exact(startedAt)}>{clock(startedAt)}</time>}
        {n > 0 && ` · ${t('spaceTools.messages', { count: n, n: count(n) })}`}
      </span>
      {messages[0] !== undefined && (
        <GoToMessage
          spaceId={messages[0].spaceId}
          go={() => weft.goTo(messages[0]?.spaceId ?? '', messages[0]?.messageId ?? '')}
        />
      )}
    </li>
  );
}

/** A link to a message, if its space exists. */
function GoToMessage({ spaceId, go }: { spaceId: string; go(): void }) {
  if (useSpaceTitle(spaceId) === null) return null;
  return (
    <button type="button" className="text-button space-go" onClick={go}>
      {t('spaceTools.toMessage')}
      <ArrowRight size={12} aria-hidden />
    </button>
  );
}

function More({ n }: { n: number }) {
  return n > most ? <p className="quiet-text">{t('tool.moreLocations', { n: count(n - most) })}</p> : null;
}

/** The title of a space; null if it doesn't exist. */
export function useSpaceTitle(id: string): string | null {
  const weft = useWeft();
  return useStore(weft.server, ({ spaces }) => {
    const space = spaces.find((one) => one.id === id);
    return space === undefined ? null : titleOf(space);
  });
}

/** The first text in a call's result, loaded on demand if it is large. */
function useFirstText({ content, contentRef }: ToolCall): Json | undefined {
  const [pulled, setPulled] = useState<Json | undefined>(undefined);
  const first = content?.find(({ type }) => type === 'text');
  const ref = contentRef ?? (first?.text === undefined ? first?.ref : undefined);
  useEffect(() => {
    if (ref === undefined) return;
    let wanted = true;
    blobText(ref, 4 << 20).then(
      (text) => wanted && setPulled(text),
      () => {}, // the display reports that there is no result
    );
    return () => {
      wanted = false;
    };
  }, [ref]);
  return first?.text ?? pulled;
}
