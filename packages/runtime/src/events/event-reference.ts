// References to the objects that events are about, and the names of Event objects (spec/infrastructure.md §3.2).

import { isDns1123Subdomain, type KubeObject, toApiVersion } from '@homeostat/machinery';
import type { ResourceType } from '@homeostat/client';
import type { Env } from '@homeostat/base';
import type { ObjectReference } from '../controller/plan.ts';

/** The reference to an object of a resource; for objects that don't carry their kind. */
export function referenceTo(resource: ResourceType, object: KubeObject): ObjectReference {
  return { ...toReference(object), kind: resource.kind, apiVersion: toApiVersion(resource) };
}

/** The reference to an object, or the reference itself. */
export function toReference(regarding: KubeObject | ObjectReference): ObjectReference {
  if (!isObject(regarding)) return regarding;
  const { apiVersion, kind, metadata = {} } = regarding;
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

function isObject(regarding: KubeObject | ObjectReference): regarding is KubeObject {
  return 'metadata' in regarding;
}

/** Makes names of events: `<object>.<hex of the time in nanoseconds>`, each once; a UUID where that is no valid name. */
export function createEventNamer(env: Env): (objectName: string) => string {
  let last = 0n;
  return (objectName) => {
    const now = BigInt(Math.round(env.clock.nowMs() * 1000)) * 1000n;
    last = now > last ? now : last + 1n;
    const name = `${objectName}.${last.toString(16)}`;
    return isDns1123Subdomain(name).length === 0 ? name : env.random.uuid();
  };
}
