import { Copy, Download, GitBranch, Link, type LucideIcon, Route, Shapes } from 'lucide-react';
import { branchSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { copyText, LongText } from '../../markdown';
import { messagePlace } from '../../state/link';
import { say } from '../../state/notify';
import { modelName } from '../../state/offered';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { type Message, mainMember, runOf, workedFor } from '../../transcript/model';
import { Monogram } from '../members/Monogram';
import { oneLine } from '../parts/clean';
import { clock, count, duration, exact, running } from '../parts/numbers';
import { useSeconds } from '../parts/useNow';
import { copyLink } from '../places/copyLink';
import { Disclosure } from './Disclosure';
import { textShown } from './notes';
import { useReading } from './reading';
import { stopWords } from './stopWords';

/** The author and the time of a message. */
export function Header({ message, live, follows }: { message: Message; live: boolean; follows: boolean }) {
  const { voices } = useReading();
  const name = message.author.name || t('transcript.agent');
  return (
    <div
      className="row threaded head"
      tabIndex={-1}
      data-step={`${message.id}:head`}
      data-kind="head"
      data-live={live}
      data-follows={follows || undefined}
    >
      {voices === null || follows ? (
        <span className="head-knot" aria-hidden />
      ) : (
        <span className="head-monogram">
          <Monogram name={name} tone={voices(message)} />
        </span>
      )}
      <h2 className={follows ? 'visually-hidden' : 'head-name'}>{oneLine(name)}</h2>
      {message.model !== '' && <Model message={message} />}
      <time
        className="head-time tabular"
        dateTime={new Date(message.createdAt).toISOString()}
        title={exact(message.createdAt)}
      >
        {clock(message.createdAt)}
      </time>
      {live ? (
        <Elapsed message={message} />
      ) : (
        // The footer of a turn shows its duration.
        message.runId === '' &&
        message.endedAt > message.createdAt && (
          <span className="head-time tabular">{duration(message.endedAt - message.createdAt)}</span>
        )
      )}
      {!live && <CopyMessage message={message} />}
      <CopyLink message={message} />
      <ExportMessage message={message} />
      <BranchHere message={message} />
      {message.runId !== '' && <ShowRun runId={message.runId} />}
    </div>
  );
}

/** The model that wrote it, by the agent's name for it. */
function Model({ message: { author, model } }: { message: Message }) {
  const { session } = useReading();
  const name = useStore(session.store, ({ conversation }) =>
    modelName(conversation, author.memberId ?? mainMember, model),
  );
  // "Default" is not a model name.
  if (/^default\b/i.test(name)) return null;
  return (
    <span className="head-model" title={name === model ? undefined : oneLine(model)}>
      {oneLine(name)}
    </span>
  );
}

function Elapsed({ message }: { message: Message }) {
  const { session } = useReading();
  const run = useStore(session.store, ({ conversation }) => runOf(conversation, message));
  const now = useSeconds(run === undefined || run.waitsFor.length === 0);
  const worked = run === undefined ? now - message.createdAt : workedFor(run, message.createdAt, now);
  if (worked < 1000) return null;
  return <span className="head-time head-running tabular">{running(worked)}</span>;
}

/** A button in the header of a message. */
function HeadButton({ icon: Icon, label, onClick }: { icon: LucideIcon; label: string; onClick(): void }) {
  return (
    <button
      type="button"
      className="icon-button quiet head-copy"
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon size={14} aria-hidden />
    </button>
  );
}

function CopyMessage({ message }: { message: Message }) {
  const { session } = useReading();
  const copy = () => {
    const now = session.store.get().conversation.messages.find((one) => one.id === message.id) ?? message;
    const text = now.segments
      .map((segment) => (segment.type === 'text' ? textShown(segment).toString() : ''))
      .join('\n\n');
    void copyText(text.replace(/\n{3,}/g, '\n\n').trim()).then(() => say(t('transcript.copied')));
  };
  return <HeadButton icon={Copy} label={t('transcript.copyMessage')} onClick={copy} />;
}

/** Exports this message, or the conversation around it. */
function ExportMessage({ message }: { message: Message }) {
  const weft = useWeft();
  const { session } = useReading();
  return (
    <HeadButton
      icon={Download}
      label={t('export.message')}
      onClick={() =>
        weft.dialogs.set({ exporting: { spaceId: session.spaceId, messageId: message.id, lastId: '' } })
      }
    />
  );
}

function CopyLink({ message }: { message: Message }) {
  const { session } = useReading();
  return (
    <HeadButton
      icon={Link}
      label={t('link.message')}
      onClick={() => copyLink(session.spaceId, messagePlace(message.id))}
    />
  );
}

/** Creates a branch that ends with this message. */
function BranchHere({ message }: { message: Message }) {
  const weft = useWeft();
  const { session } = useReading();
  return (
    <HeadButton
      icon={GitBranch}
      label={t('branches.here')}
      onClick={() =>
        void weft.attempt(t('failed.branch'), () =>
          branchSpace(weft, { spaceId: session.spaceId, messageId: message.id }),
        )
      }
    />
  );
}

/** Shows the run that wrote this message, with its other messages. */
function ShowRun({ runId }: { runId: string }) {
  const weft = useWeft();
  return <HeadButton icon={Route} label={t('run.show')} onClick={() => weft.showRun(runId)} />;
}

/** Why the turn ended, unless it simply finished. */
export function EndNote({ stopReason }: { stopReason: string }) {
  return <p className="end-note">{stopWords(stopReason)}</p>;
}

/** Content of the agent that Weft has no view for. */
export function Opaque({ message }: { message: Message }) {
  const n = message.opaque.length;
  const label = (
    <>
      <Shapes size={13} aria-hidden />
      {t('transcript.opaque', { count: n, n: count(n) })}
    </>
  );
  return (
    <div className="opaque">
      <Disclosure label={label}>
        <ul className="opaque-list">
          {message.opaque.slice(-100).map((update, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: updates have no identity and are only added
            <li key={i}>
              <span className="mono">{oneLine(update.kind)}</span>
              <pre className="code-box">
                <LongText text={JSON.stringify(update.raw ?? update.ref ?? null, null, 2).slice(0, 20_000)} />
              </pre>
            </li>
          ))}
        </ul>
      </Disclosure>
    </div>
  );
}
