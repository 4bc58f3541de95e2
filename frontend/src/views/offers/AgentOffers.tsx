import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { ModelProxyOffer } from './ModelProxyOffer';
import { SandboxOffer } from './SandboxOffer';

/** Offers for the agents of a space, based on what was observed in this space. Shows one at a time. */
export function AgentOffers({ space }: { space: Space }) {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  const members = space.members.flatMap(({ agentId }) => agents.filter(({ id }) => id === agentId));
  const acted = members.find(({ unasked }) => unasked?.offered === true && unasked.spaceId === space.id);
  if (acted?.unasked) return <SandboxOffer key={acted.id} agent={acted} did={acted.unasked} />;
  const whole = members.find(({ wholeFrom }) => wholeFrom === space.id);
  return whole === undefined ? null : <ModelProxyOffer key={whole.id} agent={whole} />;
}
