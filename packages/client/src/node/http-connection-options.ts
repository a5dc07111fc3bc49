// Where the API server is and how to prove who calls. Made by hand, or from a kubeconfig.

/** Key material as PEM. */
export interface TlsMaterial extends Partial<ClientCertificate> {
  /** Certificates of the authorities to trust; default those of the system. */
  readonly ca?: string;
  /** Name to check the server's certificate against, when it is not the URL's host. */
  readonly serverName?: string;
  /** Trusts any certificate: for experiments only. */
  readonly insecureSkipVerify?: boolean;
}

/** A client certificate with its key, PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Headers of a request by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** Proves who calls. Asked before every request, so what it gives must be cached and change when it has to. */
export interface Authenticator {
  /** Headers to add: `authorization`. A promise while credentials are fetched. @throws when none can be had: the request is not sent. */
  headers(signal: AbortSignal): RequestHeaders | Promise<RequestHeaders>;
  /** A client certificate, asked for after `headers`; a changed one closes the connections that proved the old. */
  clientCertificate?(): ClientCertificate | undefined;
  /** The server answered 401 to a request with these headers: what is cached should be fetched anew for the next one. */
  refused?(headers: RequestHeaders): void;
  /** Ends what is under way, e.g. a plugin that runs. */
  close?(): void;
}

export interface HttpConnectionOptions {
  /** `https://host:port`; a path in it is put before every request's. */
  readonly server: string;
  /**
   * Asked when the transport is made, and again every five minutes: changed material (a rotated certificate, a new CA bundle) retires
   * connections. Requests under way end on the old ones, watches are ended so that their readers resume on new ones.
   */
  readonly tls?: TlsMaterial | (() => TlsMaterial);
  /** Authenticates every request; a plain function gives the headers. */
  readonly authorize?: (() => RequestHeaders) | Authenticator;
  /** An `http`, `https` or `socks5` URL, user and password in it; default none. See `proxyFromEnvironment`. */
  readonly proxy?: URL | undefined;
  /**
   * Asks the server to compress (gzip; API servers do so from 128 KB on). Worth it over slow networks; on fast ones large lists take two to
   * three times as long. Default false.
   */
  readonly compression?: boolean;
}
