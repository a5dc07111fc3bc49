// Where the API server is and how to prove who calls. Made by hand, or from a kubeconfig.

/** Key material as PEM. */
export interface TlsMaterial {
  /** Certificates of the authorities to trust; default those of the system. */
  readonly ca?: string;
  /** Client certificate and key. */
  readonly cert?: string;
  readonly key?: string;
  /** Name to check the server's certificate against, when it is not the URL's host. */
  readonly serverName?: string;
  /** Trusts any certificate: for experiments only. */
  readonly insecureSkipVerify?: boolean;
}

export interface HttpConnectionOptions {
  /** `https://host:port`; a path in it is put before every request's. */
  readonly server: string;
  /** Asked when a connection is opened, and again every five minutes: changed material retires connections. */
  readonly tls?: TlsMaterial | (() => TlsMaterial);
  /** Headers that authenticate, asked for every request: `authorization`. */
  readonly authorize?: () => Readonly<Record<string, string>>;
}
