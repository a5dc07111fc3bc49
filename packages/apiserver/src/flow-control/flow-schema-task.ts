// Tells every FlowSchema in its status whether the priority level it names exists (spec/apiserver.md §18), as levels and
// schemas come and go. Queueing requests by them is not done: they are facts for clients to read and change.

import type { FlowSchema } from '@homeostat/api/types/flowcontrol-v1';
import { isApiError } from '@homeostat/base';
import { formatTime } from '@homeostat/machinery';
import { ownRequest } from '../registry/bootstrap/own-request.ts';
import type { StartHook } from '../server/api-server-options.ts';
import { runOnChange } from '../server/run-on-change.ts';
import type { ServerHost } from '../server/server-host.ts';
import { danglingCondition } from './dangling-condition.ts';

const group = 'flowcontrol.apiserver.k8s.io';
const apiVersion = `${group}/v1`;
const manager = 'api-priority-and-fairness-config-consumer-v1';

export function createFlowSchemaTask(host: ServerHost): StartHook {
  return {
    name: 'flow-schema-status',
    async run(signal) {
      if (host.resources.find(group, 'v1', 'flowschemas') === undefined) return;
      const schemas = host.reader({ group, resource: 'flowschemas' });
      const levels = host.reader({ group, resource: 'prioritylevelconfigurations' });
      const pass = async (passSignal: AbortSignal): Promise<void> => {
        const now = formatTime(host.env.clock.nowMs());
        for (const schema of schemas.list() as readonly FlowSchema[]) {
          const condition = danglingCondition(schema, (level) => levels.get('', level) !== undefined, now);
          if (condition !== undefined) await applyCondition(host, schema.metadata?.name ?? '', condition, passSignal);
        }
      };
      const subscribe = (notify: () => void): readonly (() => void)[] => [
        schemas.onChange(notify),
        levels.onChange(notify),
      ];
      await runOnChange({ env: host.env, name: 'telling flow schemas of their levels', subscribe, pass }, signal);
    },
  };
}

async function applyCondition(host: ServerHost, name: string, condition: object, signal: AbortSignal): Promise<void> {
  try {
    await ownRequest(host.handle, signal, {
      method: 'PATCH',
      path: `/apis/${apiVersion}/flowschemas/${encodeURIComponent(name)}/status`,
      query: `fieldManager=${manager}&force=true`,
      contentType: 'application/apply-patch+yaml',
      object: { apiVersion, kind: 'FlowSchema', metadata: { name }, status: { conditions: [condition] } },
    });
  } catch (error) {
    // Deleted meanwhile: nothing is left to be told. An apply to a name that is gone would create: that is refused too.
    if (!isApiError(error, 'NotFound', 'MethodNotAllowed')) throw error;
  }
}
