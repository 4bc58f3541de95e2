import { useState } from 'react';
import { t } from '../../i18n';
import { readKept, writeKept } from '../../state/ui';
import { Resizer } from './Resizer';

const limits = { least: 360, most: 520 };

/** The panel on the right. */
export function Panel({ children }: { children: React.ReactNode }) {
  const [width, setWidth] = useState(() => readKept().panelWidth);
  return (
    <aside className="panel" style={{ width }}>
      <Resizer
        side="left"
        width={width}
        {...limits}
        label={t('panel.resize')}
        onResize={setWidth}
        onDone={(panelWidth) => writeKept({ panelWidth })}
      />
      {children}
    </aside>
  );
}
