import { useState } from 'react';
import { t } from '../../i18n';
import { readKept, writeKept } from '../../state/ui';
import { Resizer } from './Resizer';

const limits = { least: 360, most: 520 };
const wideLimits = { least: 360, most: 1200 };

/** The panel on the right. A wide one has a width of its own. */
export function Panel({ wide = false, children }: { wide?: boolean; children: React.ReactNode }) {
  const kept = wide ? 'widePanelWidth' : 'panelWidth';
  const [width, setWidth] = useState(() => readKept()[kept]);
  return (
    <aside className="panel" data-wide={wide || undefined} style={{ width }}>
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
