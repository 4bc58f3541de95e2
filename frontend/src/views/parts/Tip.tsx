import { Tooltip } from '@base-ui/react/tooltip';
import type { HintProps } from './Hint';
import { Keys } from './Keys';

/** The hint of a button, shown when a pointer rests on it or it has the focus. */
export function Tip({ label, keys, children }: HintProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger delay={500} render={children} />
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
