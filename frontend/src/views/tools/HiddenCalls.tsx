import { Eye, EyeOff } from 'lucide-react';
import { t } from '../../i18n';
import { count } from '../parts/numbers';
import { useReading } from '../transcript/reading';

interface HiddenCallsProps {
  messageId: string;
  calls: number;
  shown: boolean;
}

/** Says that calls of a message are hidden, and shows them. */
export function HiddenCalls({ messageId, calls, shown }: HiddenCallsProps) {
  const { hold, reveal } = useReading();
  const Icon = shown ? EyeOff : Eye;
  return (
    <button
      type="button"
      className="hidden-calls"
      data-hidden-of={messageId}
      aria-expanded={shown}
      onClick={() => {
        hold();
        reveal(messageId, !shown);
      }}
    >
      <Icon size={13} strokeWidth={1.75} aria-hidden />
      {t(shown ? 'looks.hideAgain' : 'looks.hidden', { count: calls, n: count(calls) })}
    </button>
  );
}
