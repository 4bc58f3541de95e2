import { Lines } from '../parts/Lines';
import type { DisplayProps } from './display';
import { Picture } from './Picture';
import { text } from './read';

/** An image with a caption. */
export function Image({ input, phase }: DisplayProps) {
  const caption = text(input['caption']);
  const src = typeof input['src'] === 'string' ? input['src'] : '';
  return (
    <figure className="display-figure">
      <Picture src={src} alt={text(input['alt'])} growing={phase === 'writing'} />
      {caption !== '' && (
        <figcaption className="quiet-text">
          <Lines text={caption} />
        </figcaption>
      )}
    </figure>
  );
}
