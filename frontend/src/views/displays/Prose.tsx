import { openLink } from '../../commands/links';
import { Markdown } from '../../markdown';
import { useWeft } from '../../state/weft';
import { lines } from '../parts/clean';
import { labels } from '../transcript/proseLabels';
import type { Phase } from './phase';

/** Markdown in a display, rendered as it arrives; muted (`quiet`) if it only explains what is around it. */
export function Prose({ text, phase, quiet = false }: { text: string; phase: Phase; quiet?: boolean }) {
  const weft = useWeft();
  if (text === '') return null;
  return (
    <div className={`prose display-markdown${quiet ? ' display-explains' : ''}`}>
      <Markdown
        // Text that a decision depends on must not hide anything.
        text={quiet ? lines(text) : text}
        exact={quiet}
        streaming={phase === 'writing'}
        labels={labels}
        onOpenLink={(url) => openLink(weft, url)}
      />
    </div>
  );
}
