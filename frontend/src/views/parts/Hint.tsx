import type { ReactElement } from 'react';
import { useRest } from '../shell/later';

export interface HintProps {
  label: string;
  keys?: string;
  children: ReactElement;
}

/** Says what an icon button does, and by which keys. The button has a label of its own. */
export function Hint(props: HintProps) {
  const rest = useRest();
  return rest === null ? props.children : <rest.Tip {...props} />;
}
