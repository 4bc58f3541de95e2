import type { Rule } from '../../src/transport/api';

/** A permission rule that allows everything, everywhere, but for what is said. */
export const rule = (of: Partial<Rule>): Rule => ({
  id: '',
  effect: 'allow',
  scope: 'everywhere',
  spaceId: '',
  folder: '',
  agentId: '',
  kind: '',
  command: '',
  path: '',
  tool: '',
  enabled: true,
  createdAt: 0,
  used: 0,
  lastUsed: 0,
  ...of,
});
