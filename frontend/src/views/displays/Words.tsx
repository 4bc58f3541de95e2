import { Markdown } from '../../markdown';
import { useWeft } from '../../state/weft';
import { labels } from '../transcript/proseLabels';
import type { DisplayProps } from './display';

/** Markdown, drawn as it comes. */
export function Words({ input, phase }: DisplayProps) {
  const weft = useWeft();
  const text = typeof input['text'] === 'string' ? input['text'] : '';
  if (text === '') return null;
  return (
    <div className="prose display-markdown">
      <Markdown
        text={text}
        streaming={phase === 'writing'}
        labels={labels}
        onOpenLink={(url) => weft.openLink(url)}
      />
    </div>
  );
}
