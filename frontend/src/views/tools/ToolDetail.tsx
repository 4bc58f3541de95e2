import { RotateCcw } from 'lucide-react';
import { useMemo } from 'react';
import { t } from '../../i18n';
import { isOpen, type ToolCall } from '../../transcript/model';
import type { GrowingText } from '../../transcript/text';
import type { Json } from '../../transcript/types';
import { FoundApart } from '../find/FoundApart';
import { withoutAnsi } from '../parts/ansi';
import { lines, oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { PlaceLink } from '../places/PlaceLink';
import { Answered } from '../questions/Answered';
import { Disclosure } from '../transcript/Disclosure';
import { useReading } from '../transcript/reading';
import { AnsiText } from './AnsiText';
import { BlobText } from './BlobText';
import { ContentBlob, LocationsBlob } from './ContentBlob';
import { errorShown, isQuestion } from './callWords';
import { type Command, readCommand, titleSays, unwrapped } from './command';
import { inputRows, pretty, routing, unfinishedRows, withoutRouting } from './input';
import { OutputBlob } from './OutputBlob';
import { bare, isDescription, outputText } from './output';
import { Part } from './Part';
import { Piece } from './Piece';
import { Places } from './Places';
import { TerminalView } from './TerminalView';
import { screenOf, shownScreen } from './terminal';
import { useDetail } from './useDetail';

interface ToolDetailProps {
  call: ToolCall;
  messageId: string;
  segment: number;
  item: number;
  /** Lines that were shown of what was written here, if it was seen. What comes in their place starts out as high, and
   *  at its end. */
  written?: number | undefined;
}

/** Everything about a tool call, pulled when it is opened. */
export function ToolDetail({ call, messageId, segment, item, written }: ToolDetailProps) {
  const detail = useDetail(call, messageId, segment, item);
  const full = detail.call;
  if (isQuestion(full)) {
    return (
      <div className="detail">
        <Answered call={full} />
      </div>
    );
  }
  const content = full.content ?? [];
  // A diff says what was given and what came of it; the rest is there for who wants it.
  const changes = content.filter(({ type }) => type === 'diff');
  const others = content.filter((piece) => piece.type !== 'diff' && !isDescription(full, piece));
  const shown = shownScreen(full, detail.pulled);
  const command = readCommand(full);
  // What was read while it was written stays where it is.
  const told = (line: string) => written === undefined && titleSays(full, line);
  const high = written !== undefined && call.kind === 'edit' && isOpen(call.status);
  return (
    <div className="detail" style={high ? { minHeight: `${written * 1.21 + 0.75}rem` } : undefined}>
      <FoundApart messageId={messageId} segment={segment} item={item} />
      {full.error !== '' && full.status !== 'rejected' && (
        <Problem call={full} repeated={content.some(({ text }) => sameText(text, full.error))} />
      )}
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
      {changes.length === 0 && !told(command.line) && !sameCommand(full, command) && <Input call={full} />}
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
        shown === null && <Output call={full} />}
      {full.outputRef !== undefined && content.length === 0 && (
        <Part title={t('tool.output')}>
          {call.kind === 'execute' ? (
            <OutputBlob blob={full.outputRef} command={command} />
          ) : (
            <BlobText blob={full.outputRef} />
          )}
        </Part>
      )}
      {changes.length === 0 && <Places locations={full.locations ?? []} />}
      {full.locationsRef !== undefined && <LocationsBlob blob={full.locationsRef} />}
      {changes.length > 0 ? <AsSent call={full} /> : command.line !== '' && <SentCommand call={full} />}
      {detail.loading && <p className="quiet-text late">{t('loading')}</p>}
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

/** What went wrong, unless the output below says just that, and what else is to be known of the outcome. */
function Problem({ call, repeated }: { call: ToolCall; repeated: boolean }) {
  const notes: string[] = [];
  if (call.reported !== undefined) notes.push(t('tool.reported', { status: t(`status.${call.reported}`) }));
  if (call.wasRetried) notes.push(t('tool.failedAgain'));
  if (repeated && notes.length === 0) return null;
  return (
    <div className="detail-error">
      {!repeated && (
        <p>
          <Lines text={withoutAnsi(errorShown(call))} />
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

/** What is in a diff already, in the agent's own form. */
function AsSent({ call }: { call: ToolCall }) {
  return (
    <div>
      <Disclosure label={t('tool.asSent')}>
        <div className="as-sent">
          <Input call={call} />
          <Output call={call} />
          <Places locations={call.locations ?? []} />
        </div>
      </Disclosure>
    </div>
  );
}

/** All arguments of a command, in the agent's own form, where they are more than what is shown of them. */
function SentCommand({ call }: { call: ToolCall }) {
  const { input } = call;
  const shown =
    readCommand(call).sent === '' &&
    input !== null &&
    typeof input === 'object' &&
    Object.keys(input).length === 1;
  if (input === undefined || shown) return null;
  return (
    <div>
      <Disclosure label={t('tool.asSent')}>
        <div className="as-sent">
          <Part title={t('tool.input')}>
            <pre className="code-box">
              <Lines text={pretty(input)} />
            </pre>
          </Part>
        </div>
      </Disclosure>
    </div>
  );
}

function Output({ call }: { call: ToolCall }) {
  const command = readCommand(call);
  const output = bare(outputText(call), command);
  if (output === '') return null;
  return (
    <Part title={t('tool.output')}>
      <AnsiText text={output} atEnd={call.kind === 'execute'} />
    </Part>
  );
}

function sameText(text: string | undefined, error: string): boolean {
  const start = (of: string) => of.replace(/\s+/g, ' ').trim().slice(0, 80);
  return text !== undefined && start(text) === start(error);
}

/** What the tool was given: a command line, short fields, or JSON. */
export function Input({ call }: { call: ToolCall }) {
  // It is newer than what came whole before it.
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
  const rows = inputRows(call.input);
  if (rows !== null) return <Rows rows={rows} call={call} />;
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

/** What came of an input before its call ended. */
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
  // What is a file, the call itself says: an argument may be called a path and be none.
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

/** The files that a call says it is about. */
function filesOf({ locations = [], content = [] }: ToolCall): { path: string; line?: number | undefined }[] {
  return [...locations, ...content.map(({ path = '', line }) => ({ path, line }))].filter(
    ({ path }) => path !== '',
  );
}

function isLong(value: string): boolean {
  return value.length > 400 || value.includes('\n');
}

function LongValue({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by key
    <pre className="code-box" tabIndex={0}>
      <Lines text={text} />
    </pre>
  );
}

function emptyJson(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Whether a terminal of the call says already what its input would. */
function sameCommand(call: ToolCall, { line }: Command): boolean {
  return call.terminals.some((terminal) => line === '' || unwrapped(terminal.command) === line);
}
