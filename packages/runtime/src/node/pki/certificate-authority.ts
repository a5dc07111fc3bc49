// Making certificates: one ECDSA P-256 authority that signs serving and client certificates. The X.509 library is only
// loaded when something has to be made: a start that finds everything in place does not pay for it.

import { randomBytes, webcrypto } from 'node:crypto';
import type * as X509Library from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate and its private key (PKCS#8), both PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export interface Subject {
  readonly commonName: string;
  readonly organization?: string;
}

export interface CertificateRequest extends Subject {
  readonly usage: 'server' | 'client';
  /** Host names and IP addresses, for servers. */
  readonly hosts?: readonly string[];
}

export interface Validity {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly days: number;
}

type X509 = typeof X509Library;

let library: Promise<X509> | undefined;

function loadLibrary(): Promise<X509> {
  library ??= import('reflect-metadata').then(() => import('@peculiar/x509'));
  return library;
}

/** Makes a self-signed authority. */
export async function createAuthority(subject: Subject, validity: Validity): Promise<CertificatePair> {
  const x509 = await loadLibrary();
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const usages = x509.KeyUsageFlags;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: nameOf(subject),
    ...period(validity),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(usages.digitalSignature | usages.keyEncipherment | usages.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: subject.commonName }]),
    ],
  });
  return { cert: `${certificate.toString('pem')}\n`, key: await toPem(keys.privateKey) };
}

/** Makes a key and a certificate for it, signed by `authority`. */
export async function issueCertificate(
  authority: CertificatePair,
  request: CertificateRequest,
  validity: Validity,
): Promise<CertificatePair> {
  const x509 = await loadLibrary();
  const issuer = new x509.X509Certificate(authority.cert);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', derOf(authority.key), algorithm, false, ['sign']);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const usages = x509.KeyUsageFlags;
  const hosts = request.hosts ?? [];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    issuer: issuer.subject,
    subject: nameOf(request),
    ...period(validity),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(usages.digitalSignature | usages.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([
        request.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...(hosts.length === 0
        ? []
        : [
            new x509.SubjectAlternativeNameExtension(
              hosts.map((host) => ({ type: isIp(host) ? ('ip' as const) : ('dns' as const), value: host })),
            ),
          ]),
    ],
  });
  return { cert: `${certificate.toString('pem')}\n`, key: await toPem(keys.privateKey) };
}

function nameOf({ commonName, organization }: Subject): string {
  const escape = (text: string): string => text.replaceAll(/[,+"\\<>;]/g, String.raw`\$&`);
  return organization === undefined
    ? `CN=${escape(commonName)}`
    : `O=${escape(organization)}, CN=${escape(commonName)}`;
}

// Clocks of clients may be a little behind: validity begins five minutes ago.
function period({ nowMs, days }: Validity): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(nowMs - 300_000), notAfter: new Date(nowMs + days * 86_400_000) };
}

function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40; // positive, and of full length
  return bytes.toString('hex');
}

async function toPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

function derOf(pem: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'));
}

function isIp(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}
