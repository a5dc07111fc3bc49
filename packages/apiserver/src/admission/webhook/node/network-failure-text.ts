// What Node's network layer throws, in the words of Go's: operators search for them, and tools match them.

export interface Dialled {
  readonly host: string;
  readonly port: number;
}

export function networkFailureText(error: unknown, { host, port }: Dialled): string {
  const { code = '', message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) };
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const known = texts[code];
  if (known !== undefined) return known(address, host);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `tls: failed to verify certificate: x509: ${nameText(message)}`;
  return message;
}

const texts: Readonly<Record<string, (address: string, host: string) => string>> = {
  ECONNREFUSED: (address) => `dial tcp ${address}: connect: connection refused`,
  EHOSTUNREACH: (address) => `dial tcp ${address}: connect: no route to host`,
  ENETUNREACH: (address) => `dial tcp ${address}: connect: network is unreachable`,
  ETIMEDOUT: (address) => `dial tcp ${address}: connect: connection timed out`,
  ENOTFOUND: (_address, host) => `dial tcp: lookup ${host}: no such host`,
  EAI_AGAIN: (_address, host) => `dial tcp: lookup ${host}: Temporary failure in name resolution`,
  ECONNRESET: () => 'EOF',
  EPIPE: () => 'write: broken pipe',
  CERT_HAS_EXPIRED: () => 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: () => 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  HPE_INVALID_CONSTANT: () => 'malformed HTTP response',
};

function unknownAuthority(): string {
  return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
}

/** Node: `Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames: DNS:b, DNS:c`. */
function nameText(message: string): string {
  const wanted = /(?:Host|IP): (\S+?)\.? is not in/.exec(message)?.[1] ?? '';
  const names = /altnames?: (?!Host|IP: )(.*)$/.exec(message)?.[1] ?? '';
  const valid = names
    .split(', ')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter((name) => name !== '');
  if (valid.length === 0) return `certificate is not valid for any names, but wanted to match ${wanted}`;
  return `certificate is valid for ${valid.join(', ')}, not ${wanted}`;
}
