// Whether a container that has exited is started again: its own policy and rules before the Pod's policy.

import type { Container, ContainerRestartRule, PodSpec } from '@homeostat/api/types/core-v1';

/** Whether the container is started again after this exit code. */
export function shouldContainerRestart(container: Container, spec: PodSpec, exitCode: number): boolean {
  if (container.restartPolicy === undefined) return restartsBy(spec.restartPolicy ?? 'Always', exitCode);
  if (restartActionOf(container, exitCode) !== undefined) return true;
  return restartsBy(container.restartPolicy, exitCode);
}

/** What the container's own rules say about the exit code; undefined when none is meant for it. */
export function restartActionOf(
  { restartPolicy, restartPolicyRules = [] }: Container,
  exitCode: number,
): 'Restart' | 'RestartAllContainers' | undefined {
  if (restartPolicy === undefined) return undefined;
  const action = restartPolicyRules.find((rule) => matchesExit(rule, exitCode))?.action;
  return action === 'Restart' || action === 'RestartAllContainers' ? action : undefined;
}

/** Whether some container's exit can start all of them again. */
export function mayAllContainersRestart(spec: PodSpec): boolean {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(({ restartPolicyRules }) =>
    (restartPolicyRules ?? []).some(({ action }) => action === 'RestartAllContainers'),
  );
}

function matchesExit({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (exitCodes === undefined) return false;
  const listed = exitCodes.values?.includes(exitCode) === true;
  return exitCodes.operator === 'In' ? listed : !listed;
}

function restartsBy(policy: string, exitCode: number): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
