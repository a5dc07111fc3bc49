// Why nodes turned a pod down: a status for each node that was looked at, and one for all others (spec/scheduler.md §7.4).

import type { NodeInfo } from '../cache/node-info.ts';
import { Status, type StatusCode } from './status.ts';

export class NodeToStatus {
  readonly #statuses = new Map<string, Status>();
  /** Of nodes without a status of their own. */
  absent = new Status({ code: 'UnschedulableAndUnresolvable' });

  get size(): number {
    return this.#statuses.size;
  }

  set(node: string, status: Status): void {
    this.#statuses.set(node, status);
  }

  get(node: string): Status {
    return this.#statuses.get(node) ?? this.absent;
  }

  /** Explicit statuses. */
  values(): Iterable<Status> {
    return this.#statuses.values();
  }

  /** The nodes whose status has a code. */
  nodesWith(code: StatusCode, nodes: readonly NodeInfo[]): readonly NodeInfo[] {
    return nodes.filter((node) => this.get(node.name).code === code);
  }
}
