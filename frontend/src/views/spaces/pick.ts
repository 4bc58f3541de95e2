import type { Agent } from '../../transport/api';

/** What the choice of an agent needs, however it is drawn. */
export interface AgentPick {
  ready: readonly Agent[];
  chosen: Agent | undefined;
  onChoose(id: string): void;
  /** Opens the form of a model with the user's key. */
  onAddModel(): void;
}
