import type { Weft } from '../state/weft';
import type { Request, ToolCalls } from '../transport/api';

// How calls of tools are drawn. What a command answers is taken over at once.

/** Saves a rule in place of another one; null: adds it. */
export async function saveCallRule(weft: Weft, request: Request<'SaveCallRule'>): Promise<void> {
  const take = weft.drawing();
  take(await weft.transport.call('SaveCallRule', request));
}

export async function removeCallRule(weft: Weft, request: Request<'RemoveCallRule'>): Promise<void> {
  const take = weft.drawing();
  take(await weft.transport.call('RemoveCallRule', request));
}

/** Draws the calls of the tools for spaces as displays, or as rows. */
export async function drawSpaceTools(weft: Weft, as: ToolCalls['spaceTools']): Promise<void> {
  const take = weft.drawing();
  take(await weft.transport.call('DrawSpaceTools', { as }));
}
