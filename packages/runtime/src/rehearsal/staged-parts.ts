// What a rehearsed definition gets in the place of an operator's client and events, which it may hold on to: both belong to the rehearsal
// that is under way, so that nothing leaves it by another door.

import { aborted, type Env } from '@homeostat/base';
import { type Client, isNotFound, splitKey } from '@homeostat/client';
import type { EventRecorder } from '../events/event-recorder.ts';
import { createPretendClient } from './pretend-client.ts';
import { PretendedWorld } from './pretended-world.ts';
import type { Stage } from './rehearsal.ts';

export interface StagedParts {
  readonly client: Client;
  readonly events: EventRecorder;
  /** For rehearsers. */
  readonly onStage: (stage: Stage | undefined) => void;
}

export function createStagedParts({ client, env }: { readonly client: Client; readonly env: Env }): StagedParts {
  let stage: Stage | undefined;
  // Between rehearsals nobody sees what is pretended.
  const idle = createPretendClient({
    client,
    world: new PretendedWorld(),
    read: async (resource, key) => {
      try {
        return await client.get(resource, splitKey(key));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    dryRun: 'local',
    nowMs: () => env.clock.nowMs(),
    action: () => undefined,
    onWrite: () => {},
  });
  return {
    client: new Proxy(idle, { get: (target, name): unknown => Reflect.get(stage?.client ?? target, name) }),
    events: {
      record: ({ type, reason, message }) => void stage?.events.push({ type, reason, message }),
      recordAction: ({ event }) => void stage?.events.push(event),
      run: ({ signal }) => aborted(signal),
    },
    onStage: (next) => (stage = next),
  };
}
