// Makes the default flow control objects and says in their status that what they refer to exists. They are facts for
// clients to read; requests are not queued by them here.

import type { Env } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import { formatTime } from '@homeostat/machinery';
import { ensureObject } from './ensure-object.ts';
import { type FlowControlObject, flowSchemas, priorityLevels } from './flow-control-objects.ts';
import { ownRequest } from './own-request.ts';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const base = `/apis/${apiVersion}`;
const producer = 'api-priority-and-fairness-config-producer-v1';
const consumer = 'api-priority-and-fairness-config-consumer-v1';

export async function ensureFlowControl(env: Env, handle: Handle, signal: AbortSignal): Promise<void> {
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
  for (const schema of flowSchemas) {
    if (!(await create('FlowSchema', 'flowschemas', schema))) continue;
    await ownRequest(handle, signal, {
      method: 'PATCH',
      path: `${base}/flowschemas/${schema.name}/status`,
      query: `fieldManager=${consumer}&force=true`,
      contentType: 'application/apply-patch+yaml',
      object: {
        kind: 'FlowSchema',
        apiVersion,
        metadata: { name: schema.name },
        status: { conditions: [found(levelOf(schema), formatTime(env.clock.nowMs()))] },
      },
    });
  }
}

function levelOf(schema: FlowControlObject): string {
  return (schema.spec as { priorityLevelConfiguration: { name: string } }).priorityLevelConfiguration.name;
}

function found(level: string, now: string): object {
  return {
    type: 'Dangling',
    status: 'False',
    lastTransitionTime: now,
    reason: 'Found',
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} and it exists`,
  };
}
