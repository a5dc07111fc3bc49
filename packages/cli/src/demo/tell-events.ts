// Tells what the scheduler and the kubelets did, by the events they write: they are not controllers with plans, so this is
// where their part of the story is found.

import type { Event } from '@homeostat/api/types/core-v1';
import { events } from '@homeostat/client/resources';
import type { Narrator } from './narrator.ts';
import { namespace } from './web-app.ts';
import type { DemoWorld } from './world.ts';

const told: ReadonlySet<string> = new Set([
  'Scheduled',
  'Started',
  'Killing',
  'BackOff',
  'Unhealthy',
  'FailedScheduling',
]);

/** Tells events until the signal aborts. */
export async function tellEvents(world: DemoWorld, tell: Narrator, signal: AbortSignal): Promise<void> {
  const changes = await world.client.watch<Event>(events, { namespace, signal });
  for await (const { type, object } of changes) {
    if (type !== 'ADDED' || !told.has(object.reason ?? '')) continue;
    const component =
      (object.source?.component ?? '') === '' ? (object.reportingComponent ?? '') : (object.source?.component ?? '');
    const who = component.endsWith('scheduler') ? 'scheduler' : component;
    if (who !== 'scheduler' && who !== 'kubelet') continue;
    const { namespace: space = '', name = '' } = object.involvedObject;
    const host = object.source?.host ?? '';
    tell.event(
      host === '' ? who : `${who} ${host}`,
      `${space}/${name} → ${object.reason ?? ''}: ${object.message ?? ''}`,
    );
  }
}
