import { useId } from 'react';
import { t } from '../../i18n';
import type { CommandsAnswer, Repository } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { shortPath } from '../parts/paths';

interface WorktreeCommandsProps {
  repository: Repository;
  home: string;
  answer: CommandsAnswer;
  onAnswer(answer: CommandsAnswer): void;
}

/** The commands that git would run for a repository, and whether its filters may run on checkout. */
export function WorktreeCommands({ repository, home, answer, onAnswer }: WorktreeCommandsProps) {
  const id = useId();
  const commands = repository.commands ?? [];
  const filters = commands.some(({ filter }) => filter);
  return (
    <section className="worktree-commands" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{t('worktree.choice.commands')}</h3>
      <p>{t('worktree.choice.commandsLead', { count: commands.length })}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <ul className="worktree-command-list" aria-label={t('worktree.choice.commands')} tabIndex={0}>
        {commands.map(({ key, value, file }) => (
          <li key={`${file}\n${key}\n${value}`}>
            <code>{oneLine(key)}</code> <code className="worktree-command">{oneLine(value)}</code>
            <span>{t('worktree.choice.commandsFile', { file: oneLine(shortPath(file, home)) })}</span>
          </li>
        ))}
      </ul>
      <div role="radiogroup" aria-labelledby={`${id}-title`} className="worktree-answers">
        <label className="check">
          <input
            type="radio"
            name={id}
            checked={answer === 'skip'}
            aria-describedby={`${id}-skip`}
            onChange={() => onAnswer('skip')}
          />
          {t('worktree.choice.commandsSkip')}
        </label>
        <p id={`${id}-skip`}>
          {t(filters ? 'worktree.choice.commandsSkipNote' : 'worktree.choice.commandsSkipNoteOther')}
        </p>
        {filters && (
          <>
            <label className="check">
              <input
                type="radio"
                name={id}
                checked={answer === 'run'}
                aria-describedby={`${id}-run`}
                onChange={() => onAnswer('run')}
              />
              {t('worktree.choice.commandsRun')}
            </label>
            <p id={`${id}-run`}>{t('worktree.choice.commandsRunNote')}</p>
          </>
        )}
      </div>
    </section>
  );
}
