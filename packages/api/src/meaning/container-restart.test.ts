import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, PodSpec } from '@homeostat/api/types/core-v1';
import { mayAllContainersRestart, shouldContainerRestart } from './container-restart.ts';

const spec = (restartPolicy: PodSpec['restartPolicy'], container: Container): PodSpec => ({
  containers: [container],
  ...(restartPolicy === undefined ? {} : { restartPolicy }),
});
const plain: Container = { name: 'c' };

test("shouldContainerRestart() follows the Pod's policy", () => {
  assert.equal(shouldContainerRestart(plain, spec('Always', plain), 0), true);
  assert.equal(shouldContainerRestart(plain, spec('OnFailure', plain), 0), false);
  assert.equal(shouldContainerRestart(plain, spec('OnFailure', plain), 1), true);
  assert.equal(shouldContainerRestart(plain, spec('Never', plain), 1), false);
});

test("shouldContainerRestart() prefers the container's rules and policy", () => {
  const ruled: Container = {
    name: 'c',
    restartPolicy: 'Never',
    restartPolicyRules: [
      { action: 'Restart', exitCodes: { operator: 'In', values: [42] } },
      { action: 'RestartAllContainers', exitCodes: { operator: 'NotIn', values: [0, 1, 42] } },
    ],
  };
  assert.equal(shouldContainerRestart(ruled, spec('Always', ruled), 42), true);
  assert.equal(shouldContainerRestart(ruled, spec('Always', ruled), 1), false);
  assert.equal(shouldContainerRestart(ruled, spec('Never', ruled), 7), true);
  assert.equal(mayAllContainersRestart(spec('Never', ruled)), true);
  assert.equal(mayAllContainersRestart(spec('Never', plain)), false);
});
