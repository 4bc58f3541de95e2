import { useLayoutEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { readKept, writeKept } from '../../state/ui';
import { returnFocus } from '../parts/returnFocus';
import { Resizer } from './Resizer';

const limits = { least: 360, most: 520 };
const wideLimits = { least: 360, most: 1200 };

/** The panel on the right. A wide one has its own width. */
export function Panel({ wide = false, children }: { wide?: boolean; children: React.ReactNode }) {
  const kept = wide ? 'widePanelWidth' : 'panelWidth';
  const [width, setWidth] = useState(() => readKept()[kept]);
  const box = useRef<HTMLElement>(null);
  // The content takes the focus later, so this is where the user came from.
  useLayoutEffect(() => {
    const origin = document.activeElement;
    const panel = box.current;
    return () => {
      if (panel?.contains(document.activeElement) === true) returnFocus(() => origin);
    };
  }, []);
  return (
    <aside ref={box} className="panel" data-wide={wide || undefined} style={{ width }}>
      <Resizer
        side="left"
        width={width}
        {...(wide ? wideLimits : limits)}
        label={t('panel.resize')}
        onResize={setWidth}
        onDone={(done) => writeKept({ [kept]: done })}
      />
      {children}
    </aside>
  );
}
