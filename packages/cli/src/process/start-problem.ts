// What went wrong while starting, in words that say what to do.

import { CliError } from '../cli-error.ts';

interface Coded {
  readonly code?: unknown;
  readonly message?: unknown;
}

// What the API server answers to its own first writes has the text alone.
const diskFull = /database or disk is full|ENOSPC/;

/** Turns known start failures into {@link CliError}s; others come back unchanged. */
export function toStartProblem(
  error: unknown,
  where: { readonly host: string; readonly port: number; readonly dataDir: string },
): unknown {
  const { code, message } = (error ?? {}) as Coded;
  const text = typeof message === 'string' ? message : String(error);
  switch (diskFull.test(text) ? 'no-space' : code) {
    case 'EADDRINUSE':
      return new CliError(
        `port ${where.port} on ${where.host} is taken; choose another with --secure-port (0 takes a free one)`,
        1,
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CliError(`${where.host} is no address of this machine; choose another --bind-address`, 1, {
        cause: error,
      });
    case 'EACCES':
    case 'EPERM':
      return new CliError(`no permission: ${text}`, 1, { cause: error });
    case 'ENOSPC':
    case 'no-space':
      return new CliError(
        `the disk of ${where.dataDir} is full: free some space and start again; nothing that was acknowledged is lost (${text})`,
        1,
        { cause: error },
      );
    case 'locked':
      return new CliError(`${text} (--data-dir)`, 1, { cause: error });
    case 'ENOENT': // also what making a directory on a read-only disk ends with
    case 'EEXIST':
    case 'ENOTDIR':
    case 'EROFS':
    case 'io': // the store's word for all of these
      return new CliError(`can't start with --data-dir ${where.dataDir}: ${text}`, 1, { cause: error });
    case 'bad-pki':
      return new CliError(text, 1, { cause: error });
    case 'corrupt':
      return new CliError(
        `the data in ${where.dataDir} can't be read: ${text}; restore a copy, or start afresh with \`homeostat reset\``,
        1,
        { cause: error },
      );
    case 'incompatible':
      return new CliError(`the data in ${where.dataDir} is of another version: ${text}`, 1, { cause: error });
    default:
      return error;
  }
}
