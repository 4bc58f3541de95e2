import type { Weft } from '../state/weft';
import type { Request, ToolCalls } from '../transport/api';

// Commands for how tool calls are shown. Their results are applied at once.

/** Saves a rule, replacing an existing one. With null, adds the rule. */
export async function saveCallRule(weft: Weft, request: Request<'SaveCallRule'>): Promise<void> {
  const take = weft.beginToolCallsUpdate();
  take(await weft.transport.call('SaveCallRule', request));
}

export async function removeCallRule(weft: Weft, request: Request<'RemoveCallRule'>): Promise<void> {
  const take = weft.beginToolCallsUpdate();
  take(await weft.transport.call('RemoveCallRule', request));
}

/** Shows calls of Weft's space tools as displays or as rows. */
export async function drawSpaceTools(weft: Weft, as: ToolCalls['spaceTools']): Promise<void> {
  const take = weft.beginToolCallsUpdate();
  take(await weft.transport.call('DrawSpaceTools', { as }));
}
