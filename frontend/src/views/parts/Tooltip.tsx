import { type ComponentType, cloneElement, createContext, type ReactElement, useContext } from 'react';

export interface TooltipProps {
  label: string;
  keys?: string;
  children: ReactElement<{ title?: string }>;
}

/** The component that renders tooltips. It isn't part of the first screen, so it is null until it is loaded. */
export const TooltipContext = createContext<ComponentType<TooltipProps> | null>(null);

/** A tooltip with the action and shortcut of an icon button. The button has its own label. */
export function Tooltip(props: TooltipProps) {
  const Tip = useContext(TooltipContext);
  return Tip === null ? cloneElement(props.children, { title: props.label }) : <Tip {...props} />;
}
