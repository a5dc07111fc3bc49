// Public names of @homeostat/runtime/node: what a process adds to the runtime. Sockets are here and nowhere else in the package.

export { listen, type Listener, type ListenerOptions, type TlsOptions } from './node/http/http-listener.ts';
