import type { Agent } from '../../transport/api';

/** What the choice of an agent needs, however it is drawn. */
export interface AgentPick {
  ready: readonly Agent[];
  chosen: Agent | undefined;
  onChoose(id: string): void;
  /** Opens the form of an agent that is a command, or a model with the user's key. */
  onAdd(way: 'command' | 'model'): void;
}
