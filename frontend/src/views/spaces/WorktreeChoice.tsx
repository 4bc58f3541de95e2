import { useEffect, useId, useState } from 'react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useRepository } from '../../queries/worktrees';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { CommandsAnswer } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { shortPath } from '../parts/paths';
import { WorktreeCommands } from './WorktreeCommands';
import './worktree.css';

/** The worktree of a new space; with an empty folder, Weft chooses one. */
export interface WorktreeWish {
  branch: string;
  folder: string;
  /** The answer about the repository's commands as they were shown. */
  commands?: CommandsAnswer;
  commandsToken?: string;
}

interface WorktreeChoiceProps {
  folder: string;
  /** Text from which the branch name is derived. */
  words: string;
  /** Error of the last attempt. */
  wrong: string;
  /** The previous choice, with the branch name if it was edited. */
  wanted?: { branch: string } | null;
  onChange(wish: WorktreeWish | null): void;
  /** Called when the user toggles the worktree or edits its branch name. */
  onChoose?(wanted: boolean, branch: string): void;
}

/** Offers a worktree if the folder is in a git repository. */
export function WorktreeChoice(props: WorktreeChoiceProps) {
  const { folder, words, wrong, wanted: before = null, onChange, onChoose } = props;
  const weft = useWeft();
  const home = useStore(weft.server, (state) => state.about.home);
  const [wanted, setWanted] = useState(before !== null);
  const [branch, setBranch] = useState<string | null>(before?.branch || null); // null: the suggested name
  const [place, setPlace] = useState('');
  const [answer, setAnswer] = useState<{ token: string; value: CommandsAnswer } | null>(null);
  const [review, setReview] = useState(false);
  const id = useId();
  const title = (words.trim().split('\n')[0] ?? '').slice(0, 80);

  // Errors of the folder itself are shown when the space is created.
  const repository = useRepository(folder, title, wrong);
  const usable = repository?.usable === true;
  const name = branch ?? repository?.proposed ?? '';
  const on = wanted && usable;
  // If it is the suggested name, the backend derives it from the latest text.
  const sent = branch === null ? '' : name.trim();
  const token = repository?.commandsToken ?? '';
  const answered = repository?.commandsAnswer ?? '';
  const chosen = answer !== null && answer.token === token ? answer.value : answered || 'skip';
  useEffect(() => {
    const commands = token === '' ? {} : { commands: chosen, commandsToken: token };
    onChange(on ? { branch: sent, folder: place.trim(), ...commands } : null);
  }, [on, sent, place, token, chosen, onChange]);

  if (repository === null || (!usable && repository.reason === '')) return null;
  return (
    <div className="worktree-choice" data-on={on}>
      <label className="worktree-toggle">
        <input
          type="checkbox"
          checked={on}
          disabled={!usable}
          aria-describedby={`${id}-note`}
          onChange={(event) => {
            setWanted(event.target.checked);
            onChoose?.(event.target.checked, branch ?? '');
          }}
        />
        {t('worktree.choice.label')}
      </label>
      <p id={`${id}-note`} className="worktree-note">
        {usable ? t('worktree.choice.note') : translated(repository.reason)}
      </p>
      {on && (
        <div className="worktree-fields">
          <label className="form-label" htmlFor={`${id}-branch`}>
            {t('worktree.choice.branch')}
          </label>
          <input
            id={`${id}-branch`}
            className="field mono"
            value={name}
            spellCheck={false}
            aria-invalid={wrong !== '' || undefined}
            aria-describedby={wrong === '' ? `${id}-base` : `${id}-wrong ${id}-base`}
            onChange={(event) => {
              setBranch(event.target.value);
              onChoose?.(true, event.target.value);
            }}
          />
          <p id={`${id}-base`} className="worktree-note">
            {oneLine(
              repository.branch === ''
                ? t('worktree.choice.fromDetached', {
                    commit: repository.commit,
                    subject: repository.subject,
                  })
                : t('worktree.choice.from', {
                    branch: repository.branch,
                    commit: repository.commit,
                    subject: repository.subject,
                  }),
            )}
            {repository.changed > 0 && (
              <>
                <br />
                {t('worktree.choice.changed', { count: repository.changed })}
              </>
            )}
            {repository.submodules && (
              <>
                <br />
                {t('worktree.choice.submodules')}
              </>
            )}
          </p>
          <label className="form-label" htmlFor={`${id}-folder`}>
            {t('worktree.choice.folder')}
          </label>
          <input
            id={`${id}-folder`}
            className="field mono"
            value={place}
            placeholder={oneLine(shortPath(`${repository.place}/…`, home))}
            spellCheck={false}
            aria-describedby={`${id}-place`}
            onChange={(event) => setPlace(event.target.value)}
          />
          <p id={`${id}-place`} className="worktree-note">
            {t('worktree.choice.folderNote', { place: oneLine(shortPath(repository.place, home)) })}
          </p>
          {token !== '' && (answered === '' || review) && (
            <WorktreeCommands
              repository={repository}
              home={home}
              answer={chosen}
              onAnswer={(value) => setAnswer({ token, value })}
            />
          )}
          {token !== '' && answered !== '' && !review && (
            <p className="worktree-note">
              {t(
                answered === 'run'
                  ? 'worktree.choice.commandsAnsweredRun'
                  : 'worktree.choice.commandsAnsweredSkip',
              )}{' '}
              <button type="button" className="text-button" onClick={() => setReview(true)}>
                {t('worktree.choice.commandsReview')}
              </button>
            </p>
          )}
          {wrong !== '' && (
            <p id={`${id}-wrong`} className="field-error" role="alert">
              {wrong}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
