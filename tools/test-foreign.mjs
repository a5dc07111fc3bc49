// `npm run test:foreign`: the runtime's end-to-end tests against the cluster that KUBECONFIG names, whoever made it. They work in a namespace and
// under names of their own, install the definitions of the example operators, and remove all of it. Without KUBECONFIG they start a cluster
// of their own, as `npm test` does.

import { spawn } from 'node:child_process';

const { KUBECONFIG: kubeconfig, ...rest } = process.env;
const env = kubeconfig === undefined || kubeconfig === '' ? rest : { ...rest, FOREIGN_KUBECONFIG: kubeconfig };
const args = ['tools/test.mjs', '--only', 'foreign', ...process.argv.slice(2)];
const child = spawn(process.execPath, args, { stdio: 'inherit', env });
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
