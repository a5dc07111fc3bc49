// `homeostat version`: our version and the Kubernetes level we speak.

import manifest from '../../package.json' with { type: 'json' };
import { CliError } from '../cli-error.ts';
import { type FlagValues, textFlag } from '../flags/flag.ts';

/** The Kubernetes release whose behaviour is matched. */
export const kubernetesVersion = 'v1.36.2';

export function version(values: FlagValues): Promise<void> {
  const output = textFlag(values, 'output');
  if (output !== undefined && output !== 'json') throw new CliError(`--output ${output}: there is json`);
  if (output === 'json') {
    const text = JSON.stringify(
      { version: manifest.version, kubernetes: kubernetesVersion, node: process.version },
      undefined,
      2,
    );
    process.stdout.write(`${text}\n`);
  } else {
    process.stdout.write(
      `homeostat ${manifest.version} (Kubernetes ${kubernetesVersion}, Node.js ${process.version})\n`,
    );
  }
  return Promise.resolve();
}
