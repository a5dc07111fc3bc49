// The connection of a process that may crash: from then on nothing of it reaches the server, whatever its tasks still try.

import type { Handle } from '@homeostat/client';

/** A handle that answers nothing once `power` aborts. What the server began it may finish; nobody hears of it. */
export function cutOff(handle: Handle, power: AbortSignal): Handle {
  return async (request) => {
    power.throwIfAborted();
    const response = await handle({ ...request, signal: AbortSignal.any([request.signal, power]) });
    power.throwIfAborted();
    return response;
  };
}
