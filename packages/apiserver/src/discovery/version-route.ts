// `/version` (spec/apiserver.md §10.3): the level of Kubernetes this server speaks. Clients compare it with their own, so it
// states Kubernetes' numbers; the build metadata of gitVersion says whose build it is.

import type { Route } from '../server/route.ts';

export const kubernetesVersion = { major: '1', minor: '36', patch: '2' } as const;

const { major, minor, patch } = kubernetesVersion;

/** `version.Info`. */
export const versionInfo = {
  major,
  minor,
  emulationMajor: major,
  emulationMinor: minor,
  minCompatibilityMajor: major,
  minCompatibilityMinor: String(Number(minor) - 1),
  gitVersion: `v${major}.${minor}.${patch}+homeostat`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-06-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
} as const;

export function createVersionRoutes(): readonly Route[] {
  const chunks = [Buffer.from(JSON.stringify(versionInfo, undefined, 2))];
  const handle: Route['handle'] = () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', chunks },
  });
  return [
    { path: '/version', handle },
    { path: '/version/', listed: false, handle },
  ];
}
