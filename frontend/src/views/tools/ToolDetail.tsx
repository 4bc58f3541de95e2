import { RotateCcw } from 'lucide-react';
import { useMemo } from 'react';
import { t } from '../../i18n';
import { isOpen, type ToolCall } from '../../transcript/model';
import type { GrowingText } from '../../transcript/text';
import type { Json, Location } from '../../transcript/types';
import { DetachedMatch } from '../find/DetachedMatch';
import { withoutAnsi } from '../parts/ansi';
import { lines, oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { PlaceLink } from '../places/PlaceLink';
import { absolute } from '../places/place';
import { useFolder } from '../places/usePlaceActions';
import { Answered } from '../questions/Answered';
import { useReading } from '../transcript/reading';
import { AnsiText } from './AnsiText';
import { BlobText } from './BlobText';
import { ContentBlob, LocationsBlob } from './ContentBlob';
import { filesOf, titleNames } from './callFiles';
import { errorShown, isQuestion, statusShown } from './callWords';
import { type Command, readCommand, titleSays, unwrapped } from './command';
import { inputRows, pretty, routing, unfinishedRows, withoutRouting } from './input';
import { OutputBlob } from './OutputBlob';
import {
  exitCode,
  isDescription,
  outputText,
  sameWords,
  unwrappedResult,
  withoutEcho,
  withoutExit,
} from './output';
import { Part } from './Part';
import { Piece, ResultText } from './Piece';
import { Places } from './Places';
import { TerminalView } from './TerminalView';
import { screenOf, shownScreen } from './terminal';
import { useDetail } from './useDetail';

interface ToolDetailProps {
  call: ToolCall;
  messageId: string;
  segment: number;
  item: number;
  /**
   * Number of lines shown while this was written, if it was seen. What replaces it starts with the same height, at its
   * end.
   */
  written?: number | undefined;
  /** Also shows input and output as sent by the agent. */
  sent?: boolean;
}

/** All details of a tool call, loaded when it is opened. */
export function ToolDetail({ call, messageId, segment, item, written, sent = false }: ToolDetailProps) {
  const detail = useDetail(call, messageId, segment, item);
  const { session } = useReading();
  const folder = useFolder(session.spaceId);
  const full = detail.call;
  if (isQuestion(full)) {
    return (
      <div className="detail">
        <Answered call={full} />
      </div>
    );
  }
  const content = full.content ?? [];
  // A diff shows input and result; the rest is available on request.
  const changes = content.filter(({ type }) => type === 'diff');
  const failed = full.error !== '' && full.status !== 'rejected';
  const problem = failed ? problemOf(full) : null;
  // A refused change is shown as its diff or as refused: its arguments never took effect.
  const refused = full.status === 'rejected' && ['edit', 'delete', 'move'].includes(full.kind);
  const others = content.filter(
    (piece) =>
      piece.type !== 'diff' &&
      !isDescription(full, piece) &&
      !(problem?.whole === true && piece.type === 'text' && saysError(piece.text, full)),
  );
  const shown = shownScreen(full, detail.pulled);
  const command = readCommand(full);
  // Something read while it was being written stays in place.
  const told = (line: string) => written === undefined && titleSays(full, line);
  const high = written !== undefined && call.kind === 'edit' && isOpen(call.status);
  return (
    <div className="detail" style={high ? { minHeight: `${written * 1.21 + 0.75}rem` } : undefined}>
      <DetachedMatch messageId={messageId} segment={segment} item={item} />
      {problem !== null && <Problem call={full} text={problem.text} />}
      {full.error === '' && full.wasRetried && (
        <p className="quiet-text">
          <RotateCcw size={12} aria-hidden /> {t('tool.wasRetried')}
        </p>
      )}
      {full.titleRef !== undefined && (
        <Part title={t('tool.title')}>
          <BlobText blob={full.titleRef} />
        </Part>
      )}
      {refused && content.length === 0 && full.contentRef === undefined && (
        <p className="quiet-text">{statusShown(full)}</p>
      )}
      {changes.length === 0 && !refused && !told(command.line) && !sameCommand(full, command) && (
        <Input call={full} said={(value) => titleNames(full.title, value, folder)} />
      )}
      {full.terminals.map((terminal) => (
        <Part key={terminal.id} title={t('tool.terminal')}>
          <TerminalView
            screen={screenOf(
              terminal,
              detail.pulled.terminals.find(({ id }) => id === terminal.id),
            )}
            command={told(unwrapped(terminal.command)) ? '' : terminal.command}
          />
        </Part>
      ))}
      {[...changes, ...others].map((piece, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <Piece key={i} content={piece} call={full} atEnd={written !== undefined} />
      ))}
      {full.contentRef !== undefined && <ContentBlob blob={full.contentRef} call={full} />}
      {shown !== null && (
        <Part title={t('tool.terminal')}>
          <TerminalView screen={shown} />
        </Part>
      )}
      {changes.length === 0 &&
        others.every(({ type }) => type !== 'text') &&
        full.terminals.length === 0 &&
        shown === null &&
        !(problem?.whole === true && saysError(outputText(full), full)) && <Output call={full} />}
      {full.outputRef !== undefined && content.length === 0 && (
        <Part title={t('tool.output')}>
          {call.kind === 'execute' ? (
            <OutputBlob blob={full.outputRef} command={command} />
          ) : (
            <BlobText blob={full.outputRef}>
              {(text, whole) => <ResultText text={text} call={full} whole={whole} />}
            </BlobText>
          )}
        </Part>
      )}
      {changes.length === 0 && <Places locations={unmentionedFiles(full, folder)} />}
      {full.locationsRef !== undefined && <LocationsBlob blob={full.locationsRef} />}
      {sent && <AsSent call={full} />}
      {detail.loading && <p className="quiet-text delayed">{t('loading')}</p>}
      {detail.error !== null && (
        <p className="quiet-text">
          {detail.error.message}{' '}
          <button type="button" className="text-button" onClick={detail.again}>
            {t('again')}
          </button>
        </p>
      )}
    </div>
  );
}

/** Why a call failed, and whether it was retried. */
function Problem({ call, text }: { call: ToolCall; text: string }) {
  const notes: string[] = [];
  if (call.reported !== undefined) notes.push(t('tool.reported', { status: t(`status.${call.reported}`) }));
  if (call.wasRetried) notes.push(t('tool.failedAgain'));
  if (text === '' && notes.length === 0) return null;
  return (
    <div className="detail-error">
      {text !== '' && (
        <p>
          <Lines text={withoutAnsi(text)} />
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className="quiet-text">
          {note}
        </p>
      ))}
    </div>
  );
}

/** A longer result isn't shown as an error, because errors don't scroll. */
const longestError = 2000;

/**
 * The error text of a failed call: the result if it is the error, with its line breaks (`whole`: then it isn't shown
 * again), otherwise the call's error. Empty for a command whose output starts with it.
 */
function problemOf(call: ToolCall): { text: string; whole: boolean } {
  const texts = [...(call.content ?? []).map(({ text }) => text), outputText(call)];
  if (call.kind === 'execute') {
    const printed = [
      ...texts,
      call.outputText?.toString(),
      ...call.terminals.map((one) => one.text?.toString()),
    ];
    const code = exitCode.exec(call.error)?.[1];
    const rest = call.error.replace(exitCode, '');
    // The row shows the exit code and the beginning of the output.
    const said = rest === '' || printed.some((text) => beginsWith(text, rest, code));
    return { text: said ? '' : errorShown(call), whole: false };
  }
  const text = texts.find((one) => saysError(one, call));
  return {
    text: text === undefined ? errorShown(call) : unwrappedResult(text).trim(),
    whole: text !== undefined,
  };
}

/** Reports whether a result is the error of its call. */
function saysError(text: string | undefined, { error }: ToolCall): boolean {
  return text !== undefined && text.length < longestError && sameWords(unwrappedResult(text), error);
}

function beginsWith(text: string | undefined, words: string, code: string | undefined): boolean {
  const start = (of: string) => of.replace(/\s+/g, ' ').trim().slice(0, 80);
  if (text === undefined) return false;
  return start(withoutExit(withoutAnsi(unwrappedResult(text.slice(0, longestError))), code)).startsWith(
    start(words),
  );
}

/** The files mentioned neither in the title nor in the input of a call, and lines that the title doesn't mention. */
function unmentionedFiles(call: ToolCall, folder: string): Location[] {
  const values = (inputRows(call.input) ?? []).map(([, value]) => absolute(value, folder));
  return (call.locations ?? []).filter(
    ({ path, line = 1 }) =>
      (line > 1 && !call.title.includes(`:${line}`)) ||
      (!titleNames(call.title, path, folder) && !values.includes(absolute(path, folder))),
  );
}

/** Input and output of a call in the agent's own format. */
function AsSent({ call }: { call: ToolCall }) {
  const { input, inputRef, output, outputRef, content = [] } = call;
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
  const raw = typeof output === 'string' ? output : output === undefined ? texts.join('\n') : pretty(output);
  return (
    <section className="as-sent" aria-label={t('tool.asSent')}>
      <p className="detail-title">{t('tool.asSent')}</p>
      {input !== undefined && (
        <Part title={t('tool.input')}>
          <pre className="code-box">
            <Lines text={pretty(input)} />
          </pre>
        </Part>
      )}
      {inputRef !== undefined && (
        <Part title={t('tool.input')}>
          <BlobText blob={inputRef} />
        </Part>
      )}
      {outputRef !== undefined ? (
        <Part title={t('tool.output')}>
          <BlobText blob={outputRef} />
        </Part>
      ) : (
        raw !== '' && (
          <Part title={t('tool.output')}>
            <pre className="code-box">
              <Lines text={raw} />
            </pre>
          </Part>
        )
      )}
      <Places locations={call.locations ?? []} />
    </section>
  );
}

function Output({ call }: { call: ToolCall }) {
  const output = outputText(call);
  if (output === '') return null;
  return (
    <Part title={t('tool.output')}>
      {call.kind === 'execute' ? (
        <AnsiText text={withoutEcho(output, readCommand(call), call.error)} atEnd />
      ) : (
        <ResultText text={output} call={call} />
      )}
    </Part>
  );
}

/** The input of a tool: a command line, short fields, or JSON. */
function Input({ call, said }: { call: ToolCall; said: (value: string) => boolean }) {
  // It is newer than the complete input before it.
  if (call.inputText !== undefined) return <Unfinished text={call.inputText} />;
  const { line, sent } = readCommand(call);
  if (line !== '') {
    return (
      <Part title={t('tool.command')}>
        <pre className="code-box command" title={sent === '' ? undefined : lines(sent)}>
          <span className="command-sign" aria-hidden>
            ${' '}
          </span>
          <Lines text={line} />
        </pre>
      </Part>
    );
  }
  const rows = inputRows(call.input)?.filter(([, value]) => !said(value));
  if (rows?.length === 0) return null;
  if (rows !== undefined) return <Rows rows={rows} call={call} />;
  if (call.input !== undefined && !emptyJson(call.input)) {
    return (
      <Part title={t('tool.input')}>
        <pre className="code-box">
          <Lines text={pretty(call.input)} />
        </pre>
      </Part>
    );
  }
  if (call.inputRef !== undefined) {
    return (
      <Part title={t('tool.input')}>
        <BlobText blob={call.inputRef} />
      </Part>
    );
  }
  return null;
}

/** The partial input of a call that ended. */
function Unfinished({ text }: { text: GrowingText }) {
  const whole = text.toString();
  const rows = useMemo(() => unfinishedRows(whole)?.filter(([name]) => name !== routing) ?? null, [whole]);
  if (rows !== null) return <Rows rows={rows} />;
  return (
    <Part title={t('tool.input')}>
      <pre className="code-box">
        <Lines text={withoutRouting(whole)} />
      </pre>
    </Part>
  );
}

function Rows({ rows, call }: { rows: readonly [string, string][]; call?: ToolCall }) {
  const { session } = useReading();
  // The call itself reports which files it uses: an argument named path may be something else.
  const files = call === undefined ? [] : filesOf(call);
  const fileOf = (value: string) =>
    files.find(({ path }) => path === value || path.endsWith(`/${value.replace(/^\.\//, '')}`));
  return (
    <Part title={t('tool.input')}>
      <dl className="fields">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{oneLine(name)}</dt>
            <dd>
              {isLong(value) ? (
                <LongValue text={value} />
              ) : fileOf(value) !== undefined ? (
                <PlaceLink spaceId={session.spaceId} path={value} line={fileOf(value)?.line}>
                  <Lines text={value} />
                </PlaceLink>
              ) : (
                lines(value)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

function isLong(value: string): boolean {
  return value.length > 400 || value.includes('\n');
}

function LongValue({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <pre className="code-box" tabIndex={0}>
      <Lines text={text} />
    </pre>
  );
}

function emptyJson(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Reports whether a terminal of the call already shows the command of its input. */
function sameCommand(call: ToolCall, { line }: Command): boolean {
  return call.terminals.some((terminal) => line === '' || unwrapped(terminal.command) === line);
}
