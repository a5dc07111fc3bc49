// The port through which admission webhooks are called: one POST over HTTPS. The real one is in `node/`; tests and
// simulations answer in the process.

export interface WebhookCall {
  /** `https://host:port/path?timeout=10s`, as messages show it. */
  readonly url: string;
  /**
   * For a Service: one of its ready endpoints, `host:port`, to connect to in the place of the URL's host. Callers in the
   * process need not ask. @throws Error when there is none
   */
  readonly connectTo?: () => string;
  /** PEM of the authorities to trust; absent: the system's. */
  readonly caBundle?: string;
  /** Name the certificate must carry and TLS asks for; absent: the URL's host. */
  readonly serverName?: string;
  /** An AdmissionReview in JSON. */
  readonly body: Uint8Array;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface WebhookAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most {@link webhookAnswerBytesMax}. */
  readonly body: Uint8Array;
}

/** Longest answer that is read, in bytes. */
export const webhookAnswerBytesMax = 3 * 1024 * 1024;

export interface WebhookCaller {
  /**
   * Sends and awaits the whole answer, whatever its status. Retries only where a kept connection turns out to be closed.
   *
   * @throws Error when no answer could be had; its message says why in upstream's words
   * (`dial tcp 127.0.0.1:443: connect: connection refused`)
   */
  call(call: WebhookCall): Promise<WebhookAnswer>;
  /** Releases connections; calls under way fail. */
  close?(): void;
}

/** For servers that were given no way out of the process: every call fails. */
export const noWebhookCaller: WebhookCaller = {
  call: () => Promise.reject(new Error('this server has no network to call webhooks through')),
};
