import type { Agent } from '../../transport/api';

/** Props of all components for choosing an agent. */
export interface AgentPick {
  ready: readonly Agent[];
  chosen: Agent | undefined;
  onChoose(id: string): void;
  /** Opens the form of an agent that is a command, or a model with the user's key. */
  onAdd(way: 'command' | 'model'): void;
}
