import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { bytes } from '../parts/numbers';

const drawn = /^data:image\/(png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}$/;
/** Larger images are not shown, in characters. */
const most = 16 << 20;
const longestAddress = 2000;

interface PictureProps {
  src: string;
  alt: string;
  /** More may follow. */
  growing: boolean;
}

/** An image embedded by the agent. A remote one is shown as a link that the user may open. */
export function Picture({ src, alt, growing }: PictureProps) {
  const weft = useWeft();
  const [broken, setBroken] = useState('');
  if (src === '') return null;
  if (src.startsWith('data:')) {
    if (growing)
      return <p className="quiet-text">{t('displays.pictureComes', { size: bytes(src.length) })}</p>;
    if (src.length > most || broken === src || !drawn.test(src))
      return <p className="quiet-text">{t('displays.pictureNot')}</p>;
    return (
      <img
        className="shown-image"
        src={src}
        alt={oneLine(alt) || t('display.image')}
        decoding="async"
        onError={() => setBroken(src)}
      />
    );
  }
  const web = isWeb(src);
  return (
    <div className="display-address">
      {web && <span className="question-host">{oneLine(new URL(src).host)}</span>}
      <code className="mono">{oneLine(src.slice(0, longestAddress))}</code>
      {web && !growing && src.length <= longestAddress ? (
        <button type="button" className="text-button" onClick={() => openLink(weft, src)}>
          <ExternalLink size={13} aria-hidden />
          {t('question.open')}
        </button>
      ) : (
        !growing && <span className="quiet-text">{t('question.noWeb')}</span>
      )}
    </div>
  );
}

function isWeb(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
