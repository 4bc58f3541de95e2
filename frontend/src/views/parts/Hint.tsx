import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { printed } from '../../keyboard/actions';

/** Says what an icon button does, and by which keys. The button has a label of its own. */
export function Hint({ label, keys, children }: { label: string; keys?: string; children: ReactElement }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6}>
          <Tooltip.Popup className="hint">
            {label}
            {keys !== undefined && <Keys keys={keys} />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {printed(keys).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
