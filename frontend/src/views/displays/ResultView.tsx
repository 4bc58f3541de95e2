import { FileText } from 'lucide-react';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { FileLink } from '../places/FileLink';
import { useReading } from '../transcript/reading';
import { Facts } from './Facts';
import { TableView } from './Figures';
import { Picture } from './Picture';
import { pretty, text } from './read';
import { type Link, type Result, type Shape, shapesOf } from './result';

/** The result of a tool: text, structured content rendered by shape, images and links. */
export function ResultView({ of }: { of: Result }) {
  const shapes = shapesOf(of.value);
  const said = of.texts.map((one) => text(one).trim()).filter((one) => one !== '');
  const nothing = shapes.length + said.length + of.images.length + of.links.length + of.others.length === 0;
  return (
    <div className="display-result" data-failed={of.failed || undefined}>
      {said.map((one, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
        <p key={i} className="display-words display-statement">
          <Lines text={one} />
        </p>
      ))}
      {shapes.map((shape, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
        <ShapeView key={i} shape={shape} />
      ))}
      {of.images.map(({ src, alt }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
        <Picture key={i} src={src} alt={alt} growing={false} />
      ))}
      {of.links.length > 0 && (
        <ul className="display-links">
          {of.links.map((link, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
            <LinkView key={i} link={link} />
          ))}
        </ul>
      )}
      {of.others.map((kind, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
        <p key={i} className="quiet-text">
          {kind === ''
            ? t('displays.result.otherUnnamed')
            : t('displays.result.other', { kind: oneLine(kind) })}
        </p>
      ))}
      {nothing && <p className="quiet-text">{t('displays.result.empty')}</p>}
    </div>
  );
}

function ShapeView({ shape }: { shape: Shape }) {
  switch (shape.type) {
    case 'facts':
      return <Facts of={shape.facts} />;
    case 'table':
      return (
        <section>
          {shape.title !== '' && (
            <h4 dir="auto" className="display-part">
              {oneLine(shape.title)}
            </h4>
          )}
          <TableView input={shape.input} phase="shown" />
        </section>
      );
    case 'list':
      return (
        <section>
          {shape.title !== '' && (
            <h4 dir="auto" className="display-part">
              {oneLine(shape.title)}
            </h4>
          )}
          <ul className="display-list">
            {shape.items.slice(0, 500).map((item, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
              <li key={i}>
                <Lines text={item} />
              </li>
            ))}
          </ul>
        </section>
      );
    case 'json':
      return (
        <section>
          {shape.title !== '' && (
            <h4 dir="auto" className="display-part">
              {oneLine(shape.title)}
            </h4>
          )}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre className="mono display-json" tabIndex={0}>
            <Lines text={text(pretty(shape.value))} />
          </pre>
        </section>
      );
  }
}

/** A resource named by the tool. It is not loaded until the user opens it. */
function LinkView({ link: { name, uri, note } }: { link: Link }) {
  const weft = useWeft();
  const { session } = useReading();
  const web = URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol);
  return (
    <li>
      <FileText size={14} aria-hidden />
      {web ? (
        <button
          type="button"
          className="text-button"
          title={oneLine(uri)}
          onClick={() => openLink(weft, uri)}
        >
          {oneLine(name) || oneLine(uri)}
        </button>
      ) : (
        <FileLink spaceId={session.spaceId} address={uri}>
          {oneLine(name) || oneLine(uri)}
        </FileLink>
      )}
      {name !== uri && <code className="mono quiet-text">{oneLine(uri)}</code>}
      {note !== '' && <span className="quiet-text">{oneLine(note)}</span>}
    </li>
  );
}
