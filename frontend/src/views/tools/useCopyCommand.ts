import { toolDetail } from '../../commands/transcript';
import { t } from '../../i18n';
import { copyText } from '../../markdown/copyText';
import { say, showFailure } from '../../state/notify';
import { callOf } from '../../state/views';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import { useReading } from '../transcript/reading';
import { readCommand, readTitle, unwrapped } from './command';

/** Copies the command of a call. A call of an earlier page only has its summary line, so its details are loaded. */
export function useCopyCommand(
  call: ToolCall,
  at: { messageId: string; segment: number; item: number },
): () => void {
  const weft = useWeft();
  const { session } = useReading();
  const find = async () => {
    const known = commandIn(call);
    if (known !== '' || call.whole) return known;
    try {
      return commandIn(callOf(await toolDetail(weft, { spaceId: session.spaceId, ...at }), true));
    } catch {
      return '';
    }
  };
  return () =>
    void find()
      .then((command) => copyText(command || readTitle(call).line))
      .then(
        () => say(t('copied')),
        (error: unknown) => showFailure(t('failed.copyCommand'), error),
      );
}

function commandIn(call: ToolCall): string {
  return readCommand(call).line || unwrapped(call.terminals[0]?.command ?? '');
}
