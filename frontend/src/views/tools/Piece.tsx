import { t } from '../../i18n';
import { useStore } from '../../state/store';
import type { Message, ToolCall } from '../../transcript/model';
import type { Content } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { DisplayView } from '../transcript/DisplayView';
import { useReading } from '../transcript/reading';
import { AnsiText } from './AnsiText';
import { BlobText } from './BlobText';
import { fileOf } from './callFiles';
import { type Command, firstLine, readCommand, readTitle } from './command';
import { DiffView } from './DiffView';
import { pretty } from './input';
import { unwrappedResult, withoutEcho } from './output';
import { Part } from './Part';
import { ReadText } from './ReadText';
import { TailText } from './TailText';

interface PieceProps {
  content: Content;
  call?: ToolCall;
  atEnd?: boolean;
  /** Title of a text; it is output only once something ran. */
  textTitle?: string;
}

/** One piece of a call's content. */
export function Piece({ content, call, atEnd, textTitle = t('tool.output') }: PieceProps) {
  switch (content.type) {
    case 'diff':
      return <DiffView content={content} atEnd={atEnd} />;
    case 'text':
      return (
        <Part title={textTitle}>
          {call?.kind === 'execute' ? (
            <Printed content={content} command={readCommand(call)} error={call.error} />
          ) : content.ref === undefined ? (
            <ResultText text={content.text ?? ''} call={call} />
          ) : (
            <BlobText blob={content.ref}>
              {(text, whole) => <ResultText text={text} call={call} whole={whole} />}
            </BlobText>
          )}
        </Part>
      );
    case 'terminal':
      return content.text === undefined && content.ref === undefined ? (
        <Elsewhere terminalId={content.terminalId ?? ''} call={call} />
      ) : (
        <Part title={t('tool.terminal')}>
          {content.ref === undefined ? (
            <AnsiText text={content.text ?? ''} atEnd />
          ) : (
            <TailText blob={content.ref} />
          )}
        </Part>
      );
    case 'unknown':
      return (
        <Part title={t('tool.unknown')}>
          <pre className="code-box">
            <Lines text={pretty(content.raw ?? null)} />
          </pre>
        </Part>
      );
    default:
      return <DisplayView content={content} />;
  }
}

/** The result of a call, without the agent's wrapping. File contents are highlighted. */
export function ResultText({
  text,
  call,
  whole,
}: {
  text: string;
  call?: ToolCall | undefined;
  whole?: boolean;
}) {
  const path = call?.kind === 'read' && call.error === '' ? fileOf(call) : '';
  return path === '' ? (
    <AnsiText text={unwrappedResult(text, whole)} />
  ) : (
    <ReadText text={text} path={path} {...(whole !== undefined && { whole })} />
  );
}

interface PrintedProps {
  content: Content;
  command: Command;
  error: string;
}

/** The output of a command. Its end matters most. */
function Printed({ content: { text = '', ref }, command, error }: PrintedProps) {
  if (ref !== undefined)
    return <TailText blob={ref} read={(tail, whole) => (whole ? withoutEcho(tail, command, error) : tail)} />;
  return <AnsiText text={withoutEcho(text, command, error)} atEnd />;
}

/** Refers to the call with a terminal that this one only mentions. */
function Elsewhere({ terminalId, call }: { terminalId: string; call: ToolCall | undefined }) {
  const { session } = useReading();
  const title = useStore(session.store, ({ conversation }) =>
    call?.terminals.some(({ id }) => id === terminalId) === true
      ? ''
      : titleOfTerminal(conversation.messages, terminalId),
  );
  return title === '' ? null : (
    <p className="quiet-text">{t('terminal.elsewhere', { title: oneLine(firstLine(title)) })}</p>
  );
}

function titleOfTerminal(messages: readonly Message[], terminalId: string): string {
  for (const { segments } of messages)
    for (const segment of segments)
      for (const item of segment.type === 'tool-group' ? segment.items : [])
        if (item.type === 'tool_call' && item.terminals.some(({ id }) => id === terminalId))
          return readTitle(item).line;
  return '';
}
