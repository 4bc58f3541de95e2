import { Check } from 'lucide-react';
import { useId, useState } from 'react';
import { t } from '../../i18n';
import { readDraft, writeDraft } from '../../state/ui';
import { objectOf } from '../../transcript/object';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Actions, actionsOf, labelOf } from './Actions';
import type { DisplayProps } from './display';
import { Facts } from './Facts';
import { Fields, Filled } from './FormDisplay';
import { type Fact, textOf } from './read';

const most = 100;

/** A custom display: what the agent sent, and a field for the answer. */
export function Generic({ input, phase, ask }: DisplayProps) {
  const form = [input['schema'], input['requestedSchema']].find(
    (one) => objectOf(objectOf(one)?.['properties']) !== null,
  );
  const actions = actionsOf(input);
  const facts: Fact[] = Object.entries(input)
    .filter(([name, value]) => value !== form && (name !== 'actions' || actions.length === 0))
    .slice(0, most)
    // Nested values are shown once they are complete.
    .map(([label, value]) => ({
      label,
      value: phase === 'writing' && typeof value === 'object' ? '…' : textOf(value),
    }));
  return (
    <>
      <Facts of={facts} />
      {phase === 'answered' ? (
        actions.length > 0 ? (
          <p className="display-answer">
            <Check size={15} aria-hidden />
            {oneLine(labelOf(actions, objectOf(ask.answer)?.['action']))}
          </p>
        ) : (
          <Filled schema={form} answer={ask.answer} />
        )
      ) : actions.length > 0 ? (
        ask.open && (
          <div className="display-options" data-answers>
            <Actions of={actions} ask={ask} />
          </div>
        )
      ) : form !== undefined ? (
        <Fields schema={form} values={input['values']} phase={phase} ask={ask} />
      ) : (
        ask.open && <Reply ask={ask} />
      )}
    </>
  );
}

/** A free-text answer. */
function Reply({ ask }: Pick<DisplayProps, 'ask'>) {
  const id = useId();
  const [words, setWords] = useState(() => readDraft(ask.draftKey));
  return (
    <form
      className="display-other"
      onSubmit={(event) => {
        event.preventDefault();
        if (words.trim() !== '') ask.send({ text: words.trim() });
      }}
    >
      <label className="visually-hidden" htmlFor={id}>
        {t('displays.reply')}
      </label>
      <textarea
        dir="auto"
        id={id}
        className="field"
        rows={2}
        placeholder={t('displays.reply')}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          writeDraft(ask.draftKey, event.target.value);
        }}
      />
      <button
        type="submit"
        className="button primary"
        {...inactiveWhile(ask.sending)}
        disabled={words.trim() === ''}
      >
        {t('question.send')}
      </button>
    </form>
  );
}
