// The signal that stops a container, by operating system.

import { type FieldError, type FieldPath, forbidden } from '@homeostat/machinery';
import type { PodOS } from '@homeostat/api/types/core-v1';
import { validateSupported } from '../rules/values.ts';

const named = (
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP ' +
  'TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX'
).split(' ');
const realTime = [
  ...Array.from({ length: 15 }, (_, index) => `RTMIN+${index + 1}`),
  ...Array.from({ length: 14 }, (_, index) => `RTMAX-${index + 1}`),
];

const linuxSignals: readonly string[] = [...named, ...realTime].map((name) => `SIG${name}`).toSorted();
const windowsSignals: readonly string[] = ['SIGKILL', 'SIGTERM'];

export function validateStopSignal(signal: string, os: PodOS | undefined, path: FieldPath, errors: FieldError[]): void {
  if (os === undefined) errors.push(forbidden(path, 'may not be set for containers with empty `spec.os.name`'));
  else if (os.name === 'windows') validateSupported(signal, windowsSignals, path, errors);
  else if (os.name === 'linux') validateSupported(signal, linuxSignals, path, errors);
}
