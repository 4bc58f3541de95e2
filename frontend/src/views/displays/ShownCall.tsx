import { memo, type ReactElement, useMemo, useRef } from 'react';
import { t } from '../../i18n';
import { spaceToolOf } from '../../transcript/looks';
import { isOpen, type ToolCall } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { openRequest, permissionsOf } from '../../transcript/waiting';
import { Boundary } from '../parts/Boundary';
import { oneLine } from '../parts/clean';
import { Decided } from '../permissions/Decided';
import { copyLink } from '../places/copyLink';
import { useInput } from '../questions/useInput';
import { PermissionCard } from '../requests/PermissionCard';
import { errorShown } from '../tools/callWords';
import { LookItems } from '../tools/LookMenu';
import { RetryCall } from '../tools/RetryCall';
import { useDetail } from '../tools/useDetail';
import { useReading } from '../transcript/reading';
import { DisplayMenu } from './DisplayMenu';
import { Foot, Status } from './Frame';
import { outcomeOf } from './phase';
import { ResultView } from './ResultView';
import { type Fields, line } from './read';
import { kindOf } from './registry';
import { renderedOf } from './rendered';
import { useSpaceTitle } from './SpaceTools';
import { useAsk } from './useAsk';
import './displays.css';

interface ShownCallProps {
  call: ToolCall;
  messageId: string;
  segment: number;
  item: number;
  /** Calls nested below it. */
  below?: ReactElement | undefined;
}

const nothing: Fields = {};

/** A tool call rendered as a component in the message. */
export const ShownCall = memo(function ShownCall(props: ShownCallProps) {
  const { messageId, segment, item, below } = props;
  const { session } = useReading();
  const detail = useDetail(props.call, messageId, segment, item);
  const { call } = detail;
  const complete = useInput(call);
  const output = useOutput(call);
  const open = isOpen(call.status) && call.status !== 'waiting';
  // The streaming input takes precedence over what was sent first.
  const drawn = (open ? call.drawing?.snapshot() : undefined) ?? complete;
  const writing = open && (call.drawing !== undefined || complete === undefined);
  const input = objectOf(drawn) ?? (drawn === undefined ? nothing : wrapped(drawn));
  const outcome = outcomeOf(output === call.output ? call : { ...call, output }, writing);
  const box = useRef<HTMLElement>(null);
  const { result, answer, phase } = outcome;
  const rendered = useMemo(() => renderedOf(call, input, result, answer), [call, input, result, answer]);
  const kind = kindOf(rendered?.like ?? nameOf(props.call));
  const given = rendered?.input ?? input;
  const known = drawn !== undefined || writing;
  const { ask, withdraw } = useAsk(call, messageId, outcome, box, kind.keys === true && known);
  const { View, Icon } = kind;
  const request = openRequest(call);
  // While it is being written, a call still has the agent's title.
  const own = kind.own && phase !== 'writing' ? call.title : '';
  const space = useSpaceTitle(line(given['spaceId'])) ?? '';
  const title = oneLine(kind.titleOf(given, space)) || oneLine(own) || kind.name();
  // The footer shows why a call failed.
  const repeats = phase === 'failed' && result?.texts.join('\n').trim() === call.error.trim();
  return (
    <>
      <section
        ref={box}
        className="display"
        tabIndex={-1}
        data-phase={outcome.phase}
        data-wide={kind.wide || undefined}
        aria-label={t('displays.label', { kind: oneLine(kind.name()), title })}
        aria-busy={outcome.phase === 'writing'}
      >
        <header className="display-head">
          <Icon size={15} strokeWidth={1.75} aria-hidden />
          <p dir="auto" className="display-title">
            {title}
          </p>
          <Status phase={outcome.phase} sending={ask.sending} />
        </header>
        <div className="display-body">
          {detail.loading && drawn === undefined && <p className="quiet-text delayed">{t('loading')}</p>}
          {detail.error !== null && (
            <p className="quiet-text">
              {detail.error.message}{' '}
              <button type="button" className="text-button" onClick={detail.again}>
                {t('displays.again')}
              </button>
            </p>
          )}
          {(complete === null || call.drawing?.full === true) && (
            <p className="quiet-text">{t(complete === null ? 'displays.unreadable' : 'displays.full')}</p>
          )}
          {known && (
            <Boundary of={input}>
              <View input={given} call={call} phase={outcome.phase} ask={ask} />
            </Boundary>
          )}
          {result !== null && rendered?.hasResult !== true && kind.ofSpaces !== true && !repeats && (
            <Boundary of={result}>
              <ResultView of={result} />
            </Boundary>
          )}
        </div>
        <Foot outcome={outcome} error={errorShown(call)} />
        {call.retryable && <RetryCall call={call} messageId={messageId} />}
        <DisplayMenu
          name={rendered?.like ?? nameOf(props.call)}
          title={title}
          input={given}
          sent={input}
          answer={outcome.answer}
          result={result}
          more={kind.ofSpaces === true ? <LookItems call={props.call} messageId={messageId} /> : undefined}
          onCopyLink={() => copyLink(session.spaceId, { messageId, segment, item })}
          onWithdraw={phase === 'waiting' && !ask.sending ? withdraw : undefined}
        />
      </section>
      {request !== undefined && (
        <PermissionCard
          key={request.requestId}
          call={call}
          request={request}
          messageId={messageId}
          segment={segment}
          item={item}
        />
      )}
      {permissionsOf(call).length > 0 && <Decided call={call} />}
      {below}
    </>
  );
});

/** The tool whose component renders a call: agents put the server before the names of Weft's space tools. */
function nameOf({ toolName, original }: ToolCall): string {
  return (original === undefined ? null : spaceToolOf(toolName)) ?? toolName;
}

/** Wraps an input that is not an object. */
function wrapped(input: Json): Fields {
  const before = wraps.get(input as object);
  if (before !== undefined) return before;
  const made = { input };
  if (typeof input === 'object' && input !== null) wraps.set(input, made);
  return made;
}

const wraps = new WeakMap<object, Fields>();

/** The output, loaded on demand if it is large. */
function useOutput(call: ToolCall): Json | undefined {
  const { output, outputRef } = call;
  const of = useMemo(() => ({ ...call, input: output, inputRef: outputRef }), [call, output, outputRef]);
  return useInput(of);
}
