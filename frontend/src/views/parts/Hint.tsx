import { type ComponentType, cloneElement, createContext, type ReactElement, useContext } from 'react';

export interface HintProps {
  label: string;
  keys?: string;
  children: ReactElement<{ title?: string }>;
}

/** What draws hints. It is not part of the first screen: null until it is loaded. */
export const HintContext = createContext<ComponentType<HintProps> | null>(null);

/** Says what an icon button does, and by which keys. The button has a label of its own. */
export function Hint(props: HintProps) {
  const Tip = useContext(HintContext);
  return Tip === null ? cloneElement(props.children, { title: props.label }) : <Tip {...props} />;
}
