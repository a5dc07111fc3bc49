// Public names of @homeostat/client/streams: exec, attach, port-forward. Copying files is under `./node`.

export {
  attach,
  type AttachOptions,
  type CapturedExec,
  exec,
  execCaptured,
  type ExecOptions,
  type ExecResult,
  type Sink,
  type TerminalSize,
} from './exec.ts';
export type { StreamDependencies } from './open-channel.ts';
export { portForward, type PortForwardOptions } from './port-forward.ts';
