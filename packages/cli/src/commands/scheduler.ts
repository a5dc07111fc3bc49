// `homeostat scheduler`: the scheduler alone, against any conformant API server.

import { hostname } from 'node:os';
import { createClient } from '@homeostat/client';
import { createScheduler } from '@homeostat/scheduler';
import { type FlagValues, numberFlag } from '../flags/flag.ts';
import { connect } from '../process/component-connection.ts';
import { electionOf } from '../process/election.ts';
import { processEnv } from '../process/process-env.ts';
import { runComponent } from '../process/run-component.ts';

const userAgent = 'kube-scheduler';

export async function scheduler(values: FlagValues): Promise<void> {
  const env = processEnv(values);
  const { transport } = connect(values, env);
  const client = createClient({
    transport,
    env,
    userAgent,
    qps: numberFlag(values, 'kube-api-qps'),
    burst: numberFlag(values, 'kube-api-burst'),
    onWarning: (text) => env.log.debug('warning from the API server', { text }),
  });
  const elected = electionOf(values, env, client, userAgent);
  const unschedulableMaxMs = numberFlag(values, 'pod-max-in-unschedulable-pods-duration');
  const made = createScheduler({
    env,
    client,
    hostName: hostname(),
    unschedulableMaxMs,
    ...(elected === undefined ? {} : { election: elected.election }),
  });
  if (elected !== undefined)
    made.manager.add({ name: 'leader election events', run: (run) => elected.events.run(run) }, { group: 'services' });
  await runComponent({
    env,
    values,
    name: 'kube-scheduler',
    source: made.manager,
    run: (options) => made.run(options),
    close: () => transport.close(),
  });
}
