// What an operator would do to its CustomResourceDefinitions before anything else.

import type { Env } from '@homeostat/base';
import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import { type Client, isNotFound, toKey } from '@homeostat/client';
import { customResourceDefinitions } from '@homeostat/client/resources';
import { toRunError } from '../controller/run-failure.ts';
import { createPretendClient, type RehearsedWrite } from './pretend-client.ts';
import { PretendedWorld } from './pretended-world.ts';
import type { Rehearsal, RehearseOptions } from './rehearsal.ts';

/** Under the name `definitions`, a key each. */
export async function rehearseDefinitions(
  definitions: readonly CustomResourceDefinition[],
  options: RehearseOptions & { readonly client: Client; readonly env: Env; readonly fieldManager: string },
): Promise<readonly Rehearsal[]> {
  const { client, env, dryRun = 'local', fieldManager, signal } = options;
  const rehearsals: Rehearsal[] = [];
  for (const definition of definitions) {
    const name = definition.metadata?.name ?? '';
    const writes: RehearsedWrite[] = [];
    const pretend = createPretendClient({
      client,
      world: new PretendedWorld(),
      read: async () => {
        try {
          return await client.get(customResourceDefinitions, { name, ...(signal === undefined ? {} : { signal }) });
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      },
      dryRun,
      nowMs: () => env.clock.nowMs(),
      action: () => undefined,
      onWrite: (write) => writes.push(write),
    });
    const told = { controller: 'definitions', key: toKey(undefined, name), writes, events: [] };
    try {
      await pretend.apply(customResourceDefinitions, { object: definition, fieldManager, force: true });
      rehearsals.push({ ...told, outcome: 'success' });
    } catch (error) {
      signal?.throwIfAborted();
      rehearsals.push({ ...told, outcome: 'error', error: toRunError(error).message });
    }
  }
  return rehearsals;
}
