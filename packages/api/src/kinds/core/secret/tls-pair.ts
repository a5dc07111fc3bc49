// The warning about a TLS Secret whose PEM texts hold no certificate or no key, in Go's words (`tls.X509KeyPair`).
// The certificate and the key themselves are not parsed: that takes crypto, which the API package does without.

import type { Secret } from '@homeostat/api/types/core-v1';

export function tlsWarning(secret: Secret): readonly string[] {
  if (secret.type !== 'kubernetes.io/tls') return [];
  const problem =
    certificateProblem(pemTypes(secret.data?.['tls.crt'])) ?? keyProblem(pemTypes(secret.data?.['tls.key']));
  return problem === undefined ? [] : [problem];
}

function pemTypes(base64: string | undefined): readonly string[] {
  const text = Buffer.from(base64 ?? '', 'base64').toString('latin1');
  return [...text.matchAll(/-----BEGIN ([^\n-]*)-----[\s\S]*?-----END \1-----/g)].map((match) => match[1] ?? '');
}

function certificateProblem(types: readonly string[]): string | undefined {
  if (types.includes('CERTIFICATE')) return undefined;
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY') === true) {
    const found = 'but did find a private key; PEM inputs may have been switched';
    return `tls: failed to find certificate PEM data in certificate input, ${found}`;
  }
  const skipped = `after skipping PEM blocks of the following types: [${types.join(' ')}]`;
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input ${skipped}`;
}

function keyProblem(types: readonly string[]): string | undefined {
  if (types.some((type) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'))) return undefined;
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  const skipped = `after skipping PEM blocks of the following types: [${types.join(' ')}]`;
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input ${skipped}`;
}
