import { ArrowUp, Square } from 'lucide-react';
import { t } from '../../i18n';
import type { Run } from '../../transcript/model';
import { inactiveWhile } from '../parts/inactiveWhile';

interface Props {
  /** The active runs. */
  runs: readonly Run[];
  /** All recipients are busy, so the prompt will be queued. */
  waits: boolean;
  /** It answers a run that waits for a reply. */
  replies: boolean;
  /** A request is pending, so Escape doesn't stop anything. */
  requested: boolean;
  nothing: boolean;
  offline: boolean;
  onStop(): void;
  onSend(): void;
}

/** Stop and send buttons. */
export function SendButtons({ runs, waits, replies, requested, nothing, offline, onStop, onSend }: Props) {
  const works = runs.length > 0;
  const stopping = works && runs.every((run) => run.stopping);
  const stop = stopping ? t('composer.stopping') : requested ? t('composer.stopPlain') : t('composer.stop');
  const send = replies ? t('reply.send') : waits ? t('composer.queue') : t('composer.send');
  return (
    <>
      {works && (
        <button
          type="button"
          className="send stop"
          onClick={onStop}
          {...inactiveWhile(stopping)}
          aria-label={stop}
          title={stop}
        >
          <Square size={11} fill="currentColor" aria-hidden />
        </button>
      )}
      {(!works || !nothing) && (
        <button
          type="button"
          className="send"
          onClick={onSend}
          disabled={nothing || offline}
          aria-label={send}
          title={send}
        >
          <ArrowUp size={16} aria-hidden />
        </button>
      )}
    </>
  );
}
