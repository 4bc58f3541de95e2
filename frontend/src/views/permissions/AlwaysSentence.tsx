import { useEffect, useId, useRef, useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { t } from '../../i18n';
import { listedParts } from '../../i18n/formats';
import { Sentence, withSlots } from '../../i18n/Sentence';
import type { Rule, RuleSuggestion } from '../../transport/api';
import { exactLine } from '../parts/exact';
import { resting } from '../parts/resting';
import { tellReach, useReach } from './reach';
import { about } from './words';

interface AlwaysSentenceProps {
  rules: readonly Rule[];
  unclear: RuleSuggestion['unclear'];
  from: { spaceId: string; requestId: string };
  /** Whether a click is taken now. */
  ready(): boolean;
  onSave(rules: Rule[]): Promise<void>;
  onCustomize(): void;
  onClose(): void;
}

/** "Always", as one sentence that can be saved as it is. */
export function AlwaysSentence(props: AlwaysSentenceProps) {
  const { rules, unclear, from, ready, onSave, onCustomize, onClose } = props;
  const id = useId();
  const box = useRef<HTMLFieldSetElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const reach = useReach(rules, from);
  const effect = rules[0]?.effect ?? 'allow';
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const save = async () => {
    if (busy || !ready()) return;
    setBusy(true);
    try {
      await onSave([...rules]);
    } catch (failure) {
      setError(asCommandError(failure).message);
      setBusy(false);
    }
  };
  const problem = error !== '' ? error : reach.error;
  return (
    <fieldset
      ref={box}
      className="always"
      tabIndex={-1}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Escape elsewhere leaves the card.
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <p id={id} className="always-sentence">
        <Sentence
          text={withSlots((slot) => t(`rule.always.${effect}`, { what: slot('what') }))}
          slots={{ what: <Whats rules={rules} /> }}
        />
      </p>
      {problem !== '' ? (
        <p className="field-error" role="alert">
          {problem}
        </p>
      ) : (
        <>
          {rules[0]?.command !== '' && (
            <p className="rule-reach">
              {t(effect === 'allow' ? 'rule.always.coversAllow' : 'rule.always.coversReject')}
            </p>
          )}
          {/* A paragraph of its own, and not empty before it is known: the buttons below should stay where they are. */}
          <p className="rule-reach" role="status">
            {reach.covers === false &&
              effect === 'allow' &&
              unclear !== '' &&
              `${t(`rule.unclear.${unclear}`)} `}
            {tellReach(reach)}
          </p>
        </>
      )}
      <div className="dialog-foot">
        <button
          type="button"
          className="button primary"
          {...resting(busy)}
          disabled={problem !== ''}
          onClick={() => void save()}
        >
          {t('rule.save')}
        </button>
        <button type="button" className="button" onClick={onCustomize}>
          {t('rule.always.customize')}
        </button>
        <button type="button" className="button plain" onClick={onClose}>
          {t('cancel')}
        </button>
      </div>
    </fieldset>
  );
}

/** What the rules are about: a command by itself, anything else with the words for it. */
function Whats({ rules }: { rules: readonly Rule[] }) {
  return listedParts(rules.length).map((part, i) => {
    const rule = typeof part === 'number' ? rules[part] : undefined;
    const { words, code } =
      rule === undefined ? { words: withSlots(() => String(part)), code: '' } : about(rule);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rules are made as a whole
      <span key={i}>
        <Sentence
          text={rule !== undefined && rule.command !== '' ? withSlots((slot) => slot('code')) : words}
          slots={{ code: <code>{exactLine(code)}</code> }}
        />
      </span>
    );
  });
}
