import { openLink } from '../../commands/links';
import { Markdown } from '../../markdown';
import { useWeft } from '../../state/weft';
import { labels } from '../transcript/proseLabels';

/** Release notes. They come from a server, so they are rendered like agents' text: no HTML, nothing loaded. */
export function Notes({ text }: { text: string }) {
  const weft = useWeft();
  if (text.trim() === '') return null;
  return (
    <div className="prose update-notes">
      <Markdown text={text} streaming={false} labels={labels} onOpenLink={(url) => openLink(weft, url)} />
    </div>
  );
}
