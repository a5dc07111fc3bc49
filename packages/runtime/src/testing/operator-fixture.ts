// An operator over the fake server, in virtual time: for tests of what several controllers of one process do to one another.

import { createVirtualEnv, type LogLine, type Metrics } from '@homeostat/base';
import { createOperator, type Operator, type OperatorOptions } from '../operator/create-operator.ts';
import { FakeServer } from './fake-server.ts';

/** What runs; `stop` ends it. */
export interface OperatorFixture {
  readonly env: ReturnType<typeof createVirtualEnv>;
  readonly server: FakeServer;
  readonly operator: Operator;
  /** Warnings and errors. */
  readonly warnings: LogLine[];
  readonly stop: () => Promise<void>;
}

/** Starts an operator. */
export async function startOperator(
  options: Omit<OperatorOptions, 'name' | 'client' | 'env'> & {
    readonly prepare?: (server: FakeServer) => void;
    readonly metrics?: Metrics;
    /** Default true: it runs from the start. */
    readonly run?: boolean;
  },
): Promise<OperatorFixture> {
  const { prepare, metrics, run = true, ...given } = options;
  const warnings: LogLine[] = [];
  const env = createVirtualEnv({
    ...(metrics === undefined ? {} : { metrics }),
    sink: (line) => {
      if (line.level === 'warn' || line.level === 'error') warnings.push(line);
    },
  });
  const server = new FakeServer(env);
  prepare?.(server);
  const operator = createOperator({
    ...given,
    name: 'test',
    client: server.client(),
    env,
    caches: { freeze: true, resyncPeriodMs: 0, repairPeriodMs: 0 },
  });
  const stopping = new AbortController();
  const running = run ? operator.run({ signal: stopping.signal }) : Promise.resolve();
  await env.clock.settle();
  return {
    env,
    server,
    operator,
    warnings,
    stop: async () => {
      stopping.abort();
      await env.clock.run(running);
    },
  };
}
