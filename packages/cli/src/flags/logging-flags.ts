// Flags every component has: logging, as k8s.io/component-base spells them.

import type { FlagSpec } from './flag.ts';

export const loggingFlags: readonly FlagSpec[] = [
  { name: 'v', type: 'int', default: 0, help: 'Log verbosity; 0 to 1 write info lines, 2 and more also debug lines.' },
  { name: 'logging-format', type: 'string', default: 'text', help: 'Log format: text or json.' },
];
