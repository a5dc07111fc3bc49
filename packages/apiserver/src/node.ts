// @homeostat/apiserver/node: the TLS port, and what else needs the real platform.

export { listen, type Listener, type ListenerOptions, type TlsOptions } from './server/node/http-listener.ts';
export { nodeDigests, readSigningKey, readVerificationKeys, toSigningKey } from './node/node-crypto.ts';
export { startServer, type StartedServer, type StartServerOptions } from './node/start-server.ts';
