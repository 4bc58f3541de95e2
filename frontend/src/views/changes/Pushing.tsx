import { ArrowUpFromLine, GitPullRequest } from 'lucide-react';
import { useState } from 'react';
import { pushBranch } from '../../commands/changes';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useWeft } from '../../state/weft';
import type { Remote } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { useSave } from '../parts/useSave';

interface PushingProps {
  spaceId: string;
  /** The result of the commit. */
  done: string;
  /** The remote before the push. */
  remote: Remote;
  onClose(): void;
}

/** The steps after a commit: push, and open a pull request if the remote has a page for it. */
export function Pushing({ spaceId, done, remote: before, onClose }: PushingProps) {
  const weft = useWeft();
  const [pushed, setPushed] = useState<Remote | null>(null);
  const { busy, error, run } = useSave();
  const remote = pushed ?? before;
  const name = { remote: oneLine(remote.name), branch: oneLine(remote.branch) };
  const open = remote.problem === '' && remote.ahead !== 0;
  const push = async () => {
    const now = await pushBranch(weft, spaceId);
    setPushed(now);
    return now;
  };
  const request = () =>
    void run(async () => {
      const { request } = open ? await push() : remote;
      openLink(weft, request);
    });
  return (
    <div className="form">
      <p role="status">
        {done}
        {pushed !== null && (
          <>
            <br />
            {t('commit.pushed', name)}
          </>
        )}
      </p>
      <p className="form-note mono commit-address">{oneLine(remote.address)}</p>
      {remote.problem !== '' && <p className="form-note">{translated(remote.problem)}</p>}
      {error !== null && (
        <p className="field-error" role="alert">
          <Lines text={error.message} />
        </p>
      )}
      <div className="dialog-foot">
        <span className="grow" />
        <button type="button" className="button plain" onClick={onClose}>
          {t('close')}
        </button>
        {remote.request !== '' && (
          <button
            type="button"
            className={open ? 'button' : 'button primary'}
            disabled={busy || (remote.problem !== '' && remote.ahead < 0)}
            onClick={request}
          >
            <GitPullRequest size={14} aria-hidden />
            {t('commit.request')}
          </button>
        )}
        {open && (
          <button
            type="button"
            className="button primary"
            disabled={busy}
            // biome-ignore lint/a11y/noAutofocus: the focused element is gone
            autoFocus
            onClick={() => void run(async () => void (await push()))}
          >
            <ArrowUpFromLine size={14} aria-hidden />
            {t('commit.push', name)}
          </button>
        )}
      </div>
    </div>
  );
}
