import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec } from '@homeostat/api/types/core-v1';
import { detailText, violationsOf } from './security-checks.ts';
import { type SecurityLevel, policyOfLabels } from './security-policy.ts';

const hardened = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    { name: 'c', image: 'i', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } },
  ],
} satisfies PodSpec;

function found(
  level: SecurityLevel,
  spec: PodSpec,
  minor = Infinity,
  annotations: Record<string, string> = {},
): string {
  return detailText(violationsOf({ level, minor }, { metadata: { annotations }, spec }));
}

const plain: PodSpec = { containers: [{ name: 'c', image: 'i' }] };
const container = (more: object): PodSpec => ({ containers: [{ name: 'c', image: 'i', ...more }] });
const secured = (securityContext: object): PodSpec => container({ securityContext });

test('privileged allows everything, baseline a plain Pod, restricted a hardened one', () => {
  assert.equal(found('privileged', { ...secured({ privileged: true }), hostPID: true }), '');
  assert.equal(found('baseline', plain), '');
  assert.equal(found('restricted', hardened), '');
});

const baselineCases: readonly (readonly [PodSpec, string])[] = [
  [secured({ privileged: true }), 'privileged (container "c" must not set securityContext.privileged=true)'],
  [{ ...plain, hostNetwork: true, hostIPC: true }, 'host namespaces (hostNetwork=true, hostIPC=true)'],
  [
    container({
      ports: [
        { containerPort: 1, hostPort: 8080 },
        { containerPort: 2, hostPort: 81 },
      ],
    }),
    'hostPort (container "c" uses hostPorts 8080, 81)',
  ],
  [
    secured({ capabilities: { add: ['SYS_TIME', 'CHOWN', 'NET_ADMIN'] } }),
    'non-default capabilities (container "c" must not include "NET_ADMIN", "SYS_TIME" in securityContext.capabilities.add)',
  ],
  [{ ...plain, volumes: [{ name: 'h', hostPath: { path: '/' } }] }, 'hostPath volumes (volume "h")'],
  [
    { ...plain, securityContext: { seLinuxOptions: { type: 'spc_t', user: 'u', role: 'r' } } },
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
  ],
  [
    secured({ procMount: 'Unmasked' }),
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    {
      ...secured({ seccompProfile: { type: 'Unconfined' } }),
      securityContext: { seccompProfile: { type: 'Unconfined' } },
    },
    'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    { ...plain, securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
    'forbidden sysctls (kernel.msgmax)',
  ],
  [
    secured({ appArmorProfile: { type: 'Unconfined' } }),
    'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
  ],
  [
    container({ livenessProbe: { httpGet: { host: '10.1.1.1', port: 80 } } }),
    'probe or lifecycle host (container "c" uses probe or lifecycle host "10.1.1.1")',
  ],
  [
    secured({ windowsOptions: { hostProcess: true } }),
    'hostProcess (container "c" must not set securityContext.windowsOptions.hostProcess=true)',
  ],
];

test('baseline names what each check finds', () => {
  for (const [spec, expected] of baselineCases) assert.equal(found('baseline', spec), expected);
});

test('restricted asks for what a plain Pod does not say', () => {
  assert.equal(
    found('restricted', plain),
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  );
});

test('restricted refuses volumes by type, root, and added capabilities', () => {
  const volumes = [
    { name: 'n', nfs: { server: 's', path: '/' } },
    { name: 'e', emptyDir: {} },
  ];
  assert.equal(
    found('restricted', { ...hardened, volumes }),
    'restricted volume types (volume "n" uses restricted volume type "nfs")',
  );
  const root = { ...hardened, securityContext: { ...hardened.securityContext, runAsUser: 0 } };
  assert.equal(found('restricted', root), 'runAsUser=0 (pod must not set runAsUser=0)');
  const drop = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['NET_RAW'], add: ['NET_BIND_SERVICE', 'CHOWN'] },
  };
  assert.equal(
    found('restricted', { ...hardened, containers: [{ name: 'c', image: 'i', securityContext: drop }] }),
    'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; ' +
      'container "c" must not include "CHOWN" in securityContext.capabilities.add)',
  );
});

test('an older version of the rules asks for less', () => {
  const root = { ...hardened, securityContext: { ...hardened.securityContext, runAsUser: 0 } };
  assert.equal(found('restricted', root, 22), '');
  const reserved = { ...plain, securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } };
  assert.equal(found('baseline', reserved, 32), '');
  assert.equal(found('baseline', reserved, 31), 'forbidden sysctls (net.ipv4.tcp_rmem)');
  const annotations = { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' };
  assert.equal(
    found('baseline', plain, 18, annotations),
    'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  );
  assert.equal(found('baseline', plain, 19, annotations), '');
});

test('Windows and user namespaces are asked for less', () => {
  assert.equal(found('restricted', { ...plain, os: { name: 'windows' }, securityContext: { runAsNonRoot: true } }), '');
  assert.equal(found('baseline', { ...secured({ procMount: 'Unmasked' }), hostUsers: false }), '');
});

test('labels make a policy, warn follows a stricter enforce, broken labels are told', () => {
  const { policy } = policyOfLabels({
    'pod-security.kubernetes.io/enforce': 'baseline',
    'pod-security.kubernetes.io/enforce-version': 'v1.22',
  });
  assert.deepEqual(policy, {
    enforce: { level: 'baseline', minor: 22 },
    audit: { level: 'privileged', minor: Infinity },
    warn: { level: 'baseline', minor: 22 },
  });
  const broken = policyOfLabels({
    'pod-security.kubernetes.io/enforce': 'safe',
    'pod-security.kubernetes.io/warn-version': 'v1',
  });
  assert.deepEqual(broken.policy.enforce, { level: 'restricted', minor: Infinity });
  assert.equal(broken.policy.warn.level, 'privileged');
  assert.deepEqual(
    broken.errors.map(({ field, body }) => `${field}: ${body}`),
    [
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "safe": must be one of privileged, baseline, restricted',
      'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "v1": must be "latest" or "v1.x"',
    ],
  );
});
