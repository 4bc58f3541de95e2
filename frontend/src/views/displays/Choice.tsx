import { Check } from 'lucide-react';
import { useId, useState } from 'react';
import { t } from '../../i18n';
import { MarkdownLine } from '../../markdown';
import { readDraft, readDraftValue, writeDraft } from '../../state/ui';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { count } from '../parts/numbers';
import { chosenOf, type Option, optionsOf } from './choices';
import { type DisplayProps, pickedKey } from './display';

/** How many options are shown at once, and how many "more" adds. */
const more = 100;

/** A choice of one or several options, or a free-text answer. */
export function Choice({ input, phase, ask }: DisplayProps) {
  const options = optionsOf(input);
  const multiple = input['multiple'] === true;
  // A question without options can still be answered.
  const other = input['other'] === true || (phase !== 'writing' && options.length === 0);
  const [shown, setShown] = useState(more);
  const [picked, setPicked] = useState(() => readPicked(ask.draftKey));
  const [words, setWords] = useState(() => readDraft(ask.draftKey));
  const chosen = chosenOf(ask.answer);

  const choose = (at: number) => {
    const option = options[at];
    if (option === undefined) return;
    if (!multiple) return ask.send({ choice: option.id });
    const next = new Set(picked);
    if (!next.delete(at)) next.add(at);
    setPicked(next);
    writeDraft(pickedKey(ask.draftKey), next.size === 0 ? '' : JSON.stringify([...next]));
  };
  ask.onNumber((n) => choose(n - 1));
  const own = words.trim();
  const sendAll = () => {
    const ids = options.flatMap(({ id }, i) => (picked.has(i) ? [id] : []));
    if (!multiple) ask.send({ other: own });
    else ask.send(own === '' ? { choices: ids } : { choices: ids, other: own });
  };
  const answered = phase === 'answered';
  // Nothing can be chosen anymore.
  const over = answered || phase === 'cancelled' || phase === 'expired';
  return (
    <>
      <ul className="display-choices" data-answers onKeyDown={moveFocus}>
        {options.slice(0, shown).map((option, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: agents may use an id twice
          <li key={i}>
            {ask.open ? (
              <OptionButton
                option={option}
                n={i + 1}
                pressed={multiple ? picked.has(i) : null}
                disabled={ask.sending}
                onChoose={() => choose(i)}
              />
            ) : (
              <OptionLine option={option} chosen={chosen.ids.includes(option.id)} over={over} />
            )}
          </li>
        ))}
      </ul>
      {options.length > shown && (
        <button type="button" className="text-button" onClick={() => setShown(shown + more)}>
          {t('displays.moreOptions', { n: count(options.length - shown) })}
        </button>
      )}
      {ask.open && (other || multiple) && (
        <form
          className="display-other"
          onSubmit={(event) => {
            event.preventDefault();
            if (multiple || own !== '') sendAll();
          }}
        >
          {other && (
            <Other
              value={words}
              onChange={(value) => {
                setWords(value);
                writeDraft(ask.draftKey, value);
              }}
            />
          )}
          <button
            type="submit"
            className={`button ${multiple ? 'primary' : ''}`}
            {...inactiveWhile(ask.sending)}
            disabled={!multiple && own === ''}
          >
            {t('question.send')}
          </button>
        </form>
      )}
      {answered && chosen.other !== '' && (
        <p className="display-answer">
          <Check size={15} aria-hidden />
          {oneLine(chosen.other)}
        </p>
      )}
    </>
  );
}

/** Selected but unsent options, by index, because agents may give two of them the same id. */
function readPicked(draftKey: string): ReadonlySet<number> {
  const list = readDraftValue(pickedKey(draftKey));
  return new Set(Array.isArray(list) ? list.filter((at) => typeof at === 'number') : []);
}

function Other({ value, onChange }: { value: string; onChange(value: string): void }) {
  const id = useId();
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        {t('displays.other')}
      </label>
      <input
        id={id}
        className="field"
        autoComplete="off"
        placeholder={t('displays.other')}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </>
  );
}

interface OptionButtonProps {
  option: Option;
  n: number;
  /** null: choosing an option answers. */
  pressed: boolean | null;
  disabled: boolean;
  onChoose(): void;
}

function OptionButton({ option, n, pressed, disabled, onChoose }: OptionButtonProps) {
  return (
    <button
      type="button"
      className="display-choice option"
      aria-pressed={pressed ?? undefined}
      aria-disabled={disabled}
      onClick={onChoose}
    >
      {n <= 9 && <kbd aria-hidden>{n}</kbd>}
      {pressed !== null && (
        <span className="display-tick" aria-hidden>
          {pressed && <Check size={12} />}
        </span>
      )}
      <Words option={option} />
    </button>
  );
}

function OptionLine({ option, chosen, over }: { option: Option; chosen: boolean; over: boolean }) {
  return (
    <div className="display-choice" data-chosen={chosen || undefined} data-passed={over && !chosen}>
      {chosen && (
        <>
          <Check size={15} aria-hidden />
          <span className="visually-hidden">{t('displays.chosen')} </span>
        </>
      )}
      <Words option={option} />
    </div>
  );
}

function Words({ option }: { option: Option }) {
  return (
    <span className="display-choice-text">
      <span>{oneLine(option.label)}</span>
      {option.description !== '' && <MarkdownLine className="form-note" text={oneLine(option.description)} />}
    </span>
  );
}

/** Arrow keys move between options, Home and End to the first and last. */
function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = buttons.indexOf(event.target as HTMLElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (at < 0 || next === undefined) return;
  event.preventDefault();
  buttons[Math.max(0, Math.min(buttons.length - 1, next))]?.focus();
}
