// DefaultTolerationSeconds: a Pod stays for five minutes on a node that is not ready or not reachable, unless it says
// otherwise (spec/apiserver.md §15.2).

import type { Pod, Toleration } from '@homeostat/api/types/core-v1';
import type { Mutable } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { isAbout } from '../admission-host.ts';

const taintKeys = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const tolerationSecondsDefault = 300;

export class DefaultTolerationSeconds implements AdmissionPlugin {
  readonly name = 'DefaultTolerationSeconds';

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  admit(attributes: AdmissionAttributes): void {
    if (!isAbout(attributes, 'pods')) return;
    const { spec } = attributes.object as Mutable<Pod>;
    if (spec === undefined) return;
    const given = spec.tolerations ?? [];
    const missing = taintKeys.filter((key) => !given.some((toleration) => tolerates(toleration, key)));
    if (missing.length === 0) return;
    spec.tolerations = [
      ...given,
      ...missing.map((key) => ({
        key,
        operator: 'Exists' as const,
        effect: 'NoExecute' as const,
        tolerationSeconds: tolerationSecondsDefault,
      })),
    ];
  }
}

function tolerates({ key = '', effect = 'NoExecute' }: Toleration, taint: string): boolean {
  return (key === taint || key === '') && effect === 'NoExecute';
}
