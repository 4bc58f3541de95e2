import { Tooltip } from '@base-ui/react/tooltip';
import { Keys } from './Keys';
import type { TooltipProps } from './Tooltip';

/** The tooltip of a button, shown on hover and focus. */
export function TooltipPopup({ label, keys, children }: TooltipProps) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger delay={500} render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6}>
          <Tooltip.Popup className="tooltip">
            {label}
            {keys !== undefined && <Keys keys={keys} />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
