// `/version` (spec/apiserver.md §10.3): the level of Kubernetes this server speaks. Clients compare it with their own, so it
// states Kubernetes' numbers; the build metadata of gitVersion says whose build it is.

import { ApiError } from '@homeostat/base';
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
  const handle: Route['handle'] = ({ request }) => {
    if (!acceptsJson(request.headers['accept'] ?? '')) throw notAcceptable();
    return { status: 200, headers: { 'content-type': 'application/json' }, body: { kind: 'bytes', chunks } };
  };
  return [
    { path: '/version', handle },
    { path: '/version/', listed: false, handle },
  ];
}

/** Like the router of upstream: bare media types and the full wildcard. */
function acceptsJson(accept: string): boolean {
  if (accept === '') return true;
  const types = accept.split(',').map((part) => (part.split(';')[0] ?? '').trim());
  return types.includes('application/json') || types.includes('*/*');
}

function notAcceptable(): ApiError {
  const message = '406: Not Acceptable\n\nAvailable representations: application/json';
  return new ApiError({ code: 406, reason: 'NotAcceptable', message, details: {} });
}
