import { openLink } from '../../commands/links';
import { Markdown } from '../../markdown';
import { useWeft } from '../../state/weft';
import { labels } from '../transcript/proseLabels';

/** What is new in a version. It comes from a server, so it is drawn as what agents write is: no markup, nothing loaded. */
export function Notes({ text }: { text: string }) {
  const weft = useWeft();
  if (text.trim() === '') return null;
  return (
    <div className="prose update-notes">
      <Markdown text={text} streaming={false} labels={labels} onOpenLink={(url) => openLink(weft, url)} />
    </div>
  );
}
