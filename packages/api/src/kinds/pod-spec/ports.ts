// Ports of containers, and ports as probes and Services name them.

import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  isPortName,
  isPortNumber,
  required,
} from '@homeostat/machinery';
import type { Container, ContainerPort, PodSpec } from '@homeostat/api/types/core-v1';
import { pushInvalid, validateSupported } from '../rules/values.ts';
import type { PodSpecOptions } from './options.ts';

/** Sorted, as messages list them. */
export const portProtocols = ['SCTP', 'TCP', 'UDP'] as const;

export function validateContainerPorts(
  ports: readonly ContainerPort[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const names = new Set<string>();
  for (const [index, port] of (ports ?? []).entries()) {
    const at = path.index(index);
    const name = port.name ?? '';
    if (name !== '') {
      const texts = isPortName(name);
      if (texts.length > 0) pushInvalid(texts, name, at.child('name'), errors);
      else if (names.has(name)) errors.push(duplicate(at.child('name'), name));
      else names.add(name);
    }
    const containerPort = port.containerPort ?? 0;
    if (containerPort === 0) errors.push(required(at.child('containerPort')));
    else pushInvalid(isPortNumber(containerPort), containerPort, at.child('containerPort'), errors);
    const hostPort = port.hostPort ?? 0;
    if (hostPort !== 0) pushInvalid(isPortNumber(hostPort), hostPort, at.child('hostPort'), errors);
    validateProtocol(port.protocol ?? '', at.child('protocol'), errors);
  }
}

export function validateProtocol(protocol: string, path: FieldPath, errors: FieldError[]): void {
  if (protocol === '') errors.push(required(path));
  else validateSupported(protocol, portProtocols, path, errors);
}

/** A port by number or by the name it has in its container. */
export function validatePortNumberOrName(port: number | string, path: FieldPath, errors: FieldError[]): void {
  pushInvalid(typeof port === 'number' ? isPortNumber(port) : isPortName(port), port, path, errors);
}

/** Two containers of one Pod can't have the same port of the node. */
export function validateHostPortConflicts(
  containers: readonly Container[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const taken = new Set<string>();
  for (const [containerIndex, container] of containers.entries()) {
    const portsPath = path.index(containerIndex).child('ports');
    for (const [index, port] of (container.ports ?? []).entries()) {
      if ((port.hostPort ?? 0) === 0) continue;
      const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      if (taken.has(key)) errors.push(duplicate(portsPath.index(index).child('hostPort'), key));
      else taken.add(key);
    }
  }
}

/** On the node's network a container's port is the node's. */
export function validateHostNetworkPorts(
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  if (spec.hostNetwork !== true) return;
  for (const [containerIndex, container] of (spec.containers ?? []).entries()) {
    const portsPath = path.child('containers').index(containerIndex).child('ports');
    for (const [index, port] of (container.ports ?? []).entries()) {
      const hostPort = port.hostPort ?? 0;
      if (hostPort === (port.containerPort ?? 0) || (!options.isPod && hostPort === 0)) continue;
      const text = 'must match `containerPort` when `hostNetwork` is true';
      errors.push(invalid(portsPath.index(index).child('hostPort'), hostPort, text));
    }
  }
}
