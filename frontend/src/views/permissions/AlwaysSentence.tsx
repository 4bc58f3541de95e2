import { useEffect, useId, useRef, useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { t } from '../../i18n';
import { formatListParts } from '../../i18n/formats';
import { Sentence, withSlots } from '../../i18n/Sentence';
import type { Rule, RuleSuggestion } from '../../transport/api';
import { exactLine } from '../parts/exact';
import { inactiveWhile } from '../parts/inactiveWhile';
import { describeCoverage, useCoverage } from './coverage';
import { about } from './words';

interface AlwaysSentenceProps {
  rules: readonly Rule[];
  unclear: RuleSuggestion['unclear'];
  from: { spaceId: string; requestId: string };
  /** Whether a click is accepted now. */
  ready(): boolean;
  onSave(rules: Rule[]): Promise<void>;
  onCustomize(): void;
  onClose(): void;
}

/** "Always" as one sentence that can be saved as is. */
export function AlwaysSentence(props: AlwaysSentenceProps) {
  const { rules, unclear, from, ready, onSave, onCustomize, onClose } = props;
  const id = useId();
  const box = useRef<HTMLFieldSetElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const reach = useCoverage(rules, from);
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
        // Otherwise Escape would leave the card.
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <p id={id} className="always-sentence">
        <Sentence
          text={withSlots((slot) => t(`rule.always.${effect}`, { what: slot('what') }))}
          slots={{ what: <RuleSubjects rules={rules} /> }}
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
          {/* A paragraph even before the text is known, so that the buttons below don't move. */}
          <p className="rule-reach" role="status">
            {reach.covers === false &&
              effect === 'allow' &&
              unclear !== '' &&
              `${t(`rule.unclear.${unclear}`)} `}
            {describeCoverage(reach)}
          </p>
        </>
      )}
      <div className="dialog-foot">
        <button
          type="button"
          className="button primary"
          {...inactiveWhile(busy)}
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

/** What the rules apply to: a command as code, anything else in words. */
function RuleSubjects({ rules }: { rules: readonly Rule[] }) {
  return formatListParts(rules.length).map((part, i) => {
    const rule = typeof part === 'number' ? rules[part] : undefined;
    const { words, code } =
      rule === undefined ? { words: withSlots(() => String(part)), code: '' } : about(rule);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rules are recreated together
      <span key={i}>
        <Sentence
          text={rule !== undefined && rule.command !== '' ? withSlots((slot) => slot('code')) : words}
          slots={{ code: <code>{exactLine(code)}</code> }}
        />
      </span>
    );
  });
}
