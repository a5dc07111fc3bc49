// The parameters of a binding: the objects that its paramRef names, in the version the policy asks for.

import type { ParamKind, ParamRef } from '@homeostat/api/types/admissionregistration-v1';
import { type KubeObject, labelSelectorAsSelector, parseApiVersion } from '@homeostat/machinery';
import type { AdmissionHost } from '../admission-host.ts';

const absent = 'no params found for policy binding with `Deny` parameterNotFoundAction';

/**
 * The sets of parameters to evaluate with; one of null where the policy takes none, nothing where absent ones are allowed.
 *
 * @param namespace - of the request, for references without one
 * @throws Error with upstream's text
 */
export async function paramsOf(
  paramKind: ParamKind | undefined,
  ref: ParamRef | undefined,
  namespace: string,
  { host, signal }: { readonly host: AdmissionHost; readonly signal: AbortSignal },
): Promise<readonly (KubeObject | null)[]> {
  if (paramKind === undefined || ref === undefined) return [null];
  const { apiVersion = '', kind = '' } = paramKind;
  const info = host.resources.findKind({ ...parseApiVersion(apiVersion), kind });
  if (info === undefined)
    throw new Error(`failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`);
  const place = info.namespaced ? (ref.namespace ?? '') || namespace : '';
  if (info.namespaced && place === '') {
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  if (!info.namespaced && (ref.namespace ?? '') !== '') {
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const reader = host.reader({ group: info.group, resource: info.resource });
  const found = await find();
  if (found.length === 0 && ref.parameterNotFoundAction !== 'Allow') throw new Error(absent);
  return found.map((object) => host.resources.form(info).fromStorage(object));

  async function find(): Promise<readonly KubeObject[]> {
    if ((ref?.name ?? '') === '') {
      const selector = labelSelectorAsSelector(ref?.selector ?? {});
      return reader.list(place).filter(({ metadata }) => selector.matches(metadata?.labels));
    }
    // What was created a moment ago counts; what was deleted a moment ago is gone.
    const object = await reader.getFresh(place, ref?.name ?? '', signal);
    return object === undefined ? [] : [object];
  }
}
