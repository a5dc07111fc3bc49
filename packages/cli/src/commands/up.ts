// `homeostat up`: API server, controllers, scheduler and simulated nodes in one process, on disk.

import type { ClusterPki } from '@homeostat/apiserver/node';
import {
  type Component,
  controllerManagerComponent,
  createTokenSigner,
  nodesComponent,
  numberedNodes,
  schedulerComponent,
} from '@homeostat/cluster';
import { CliError } from '../cli-error.ts';
import { type FlagValues, listFlag, numberFlag } from '../flags/flag.ts';
import { processEnv } from '../process/process-env.ts';
import { createProgress } from '../process/progress.ts';
import { serve, serverOptions } from './apiserver.ts';

const componentNames: readonly string[] = ['apiserver', 'controller-manager', 'scheduler', 'nodes'];

export async function up(values: FlagValues): Promise<void> {
  const names = listFlag(values, 'components');
  const unknown = names.find((name) => !componentNames.includes(name));
  if (unknown !== undefined)
    throw new CliError(`--components: there is no ${unknown}; there are ${componentNames.join(', ')}`);
  if (!names.includes('apiserver'))
    throw new CliError('--components: up needs the apiserver; run other components alone by their own commands');
  const nodes = numberFlag(values, 'nodes');
  if (nodes < 0) throw new CliError(`--nodes ${nodes} must not be negative`);
  const progress = createProgress();
  const pool = names.includes('nodes') ? nodesComponent({ nodes: numberedNodes(nodes) }) : undefined;
  const options = serverOptions(values);
  await serve(
    {
      ...options,
      env: processEnv(values, { quiet: true }),
      security: { ...options.security, admission: { enable: ['NodeRestriction'] } },
      server: { ...options.server, ...(pool === undefined ? {} : { podLogs: pool.podLogs }) },
      components: (pki) => [
        ...(names.includes('controller-manager') ? [managerOf(pki)] : []),
        ...(names.includes('scheduler') ? [schedulerComponent()] : []),
        ...(pool === undefined ? [] : [pool]),
      ],
      onProgress: progress.show,
    },
    progress.clear,
  );
}

function managerOf(pki: ClusterPki): Component {
  return controllerManagerComponent({
    settings: { rootCa: pki.caCert, tokenSigner: createTokenSigner({ keys: pki.tokenKeys, rootCa: pki.caCert }) },
  });
}
