// `homeostat kubelet --runtime simulated`: node agents alone, as many as asked for, against any conformant API server.

import { hostname } from 'node:os';
import { createClient } from '@homeostat/client';
import { numberedNodes } from '@homeostat/cluster';
import { createNodePool, type NodeDefinition } from '@homeostat/kubelet';
import { CliError } from '../cli-error.ts';
import { type FlagValues, listFlag, numberFlag, textFlag } from '../flags/flag.ts';
import { connect } from '../process/component-connection.ts';
import { processEnv } from '../process/process-env.ts';
import { signalStop } from '../process/run-until-signal.ts';

const userAgent = 'kubelet/v1.36.2 (linux/amd64) homeostat';

export async function kubelet(values: FlagValues): Promise<void> {
  const runtime = textFlag(values, 'runtime') ?? 'simulated';
  if (runtime !== 'simulated') throw new CliError(`--runtime ${runtime}: there is simulated`);
  const nodes = nodesOf(values);
  const env = processEnv(values);
  const { transport } = connect(values, env);
  const onWarning = (text: string): void => env.log.debug('warning from the API server', { text });
  const client = createClient({ transport, env, userAgent, onWarning });
  // Each node has its own limit, as each kubelet has.
  const limits = { qps: numberFlag(values, 'kube-api-qps'), burst: numberFlag(values, 'kube-api-burst') };
  const pool = createNodePool({
    env,
    nodes,
    client,
    clientFor: () => createClient({ transport, env, userAgent, onWarning, ...limits }),
  });
  const stop = signalStop();
  try {
    await pool.run({ signal: stop.signal });
  } finally {
    await transport.close();
    stop.dispose();
  }
}

function nodesOf(values: FlagValues): readonly NodeDefinition[] {
  const count = numberFlag(values, 'nodes');
  if (count < 1) throw new CliError(`--nodes ${count} must be at least 1`);
  const name = textFlag(values, 'hostname-override') ?? hostname().toLowerCase();
  const labels = Object.fromEntries(listFlag(values, 'node-labels').map((text) => pair('node-labels', text)));
  const taints = listFlag(values, 'register-with-taints').map(taintOf);
  const base = count === 1 ? [{ name }] : numberedNodes(count, name);
  return base.map((node) => ({ ...node, labels, taints, capacity: { pods: String(numberFlag(values, 'max-pods')) } }));
}

function pair(flag: string, text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals <= 0) throw new CliError(`--${flag} ${text}: must be key=value`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function taintOf(text: string): {
  readonly key: string;
  readonly value: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
} {
  const match = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text);
  if (match === null) throw new CliError(`--register-with-taints ${text}: must be key=value:effect`);
  return { key: match[1] ?? '', value: match[2] ?? '', effect: match[3] as 'NoSchedule' };
}
