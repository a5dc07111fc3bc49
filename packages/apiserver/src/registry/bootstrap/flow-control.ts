// Makes the default flow control objects. They are facts for clients to read; requests are not queued by them here, and
// their status is the business of `flow-control/`.

import type { Handle } from '@homeostat/client';
import { ensureObject } from './ensure-object.ts';
import { type FlowControlObject, flowSchemas, priorityLevels } from './flow-control-objects.ts';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const base = `/apis/${apiVersion}`;
const producer = 'api-priority-and-fairness-config-producer-v1';

export async function ensureFlowControl(handle: Handle, signal: AbortSignal): Promise<void> {
  const create = (kind: string, plural: string, { name, spec }: FlowControlObject): Promise<boolean> =>
    ensureObject(handle, signal, {
      path: `${base}/${plural}`,
      query: `fieldManager=${producer}`,
      object: {
        kind,
        apiVersion,
        metadata: { name, annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' } },
        spec,
      },
    });
  for (const level of priorityLevels) await create('PriorityLevelConfiguration', 'prioritylevelconfigurations', level);
  for (const schema of flowSchemas) await create('FlowSchema', 'flowschemas', schema);
}
