// Public names of @homeostat/runtime/node: what a process adds to the runtime. Sockets and signals are here and nowhere else in the package.

export { listen, type Listener, type ListenerOptions, type TlsOptions } from './node/http/http-listener.ts';
export { managerServer, serveManager, type ServeManagerOptions } from './node/serve-manager.ts';
export { type SignalStop, type SignalStopOptions, stopOnSignals } from './node/signals.ts';
