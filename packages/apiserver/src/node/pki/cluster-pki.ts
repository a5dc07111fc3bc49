// The keys and certificates of a cluster, in one directory: an authority, the API server's certificate, a client
// certificate for each component and the administrator, the key of ServiceAccount tokens. Made once, used again at the
// next start, renewed in time. Files are readable by their owner alone.

import { createPrivateKey, generateKeyPair, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import type { Env } from '@homeostat/base';
import type { SigningKey, TokenKeys } from '../../authentication/crypto-port.ts';
import { toSigningKey } from '../node-crypto.ts';
import {
  type CertificatePair,
  type CertificateRequest,
  createAuthority,
  issueCertificate,
} from '@homeostat/runtime/node';

export interface ClusterPkiOptions {
  readonly env: Env;
  /** Made when it is absent, for the owner only. */
  readonly directory: string;
  /** Names and addresses the API server is reached by, beside the ones every cluster has. */
  readonly hosts?: readonly string[];
  /** First address of the Service range: the `kubernetes` Service. */
  readonly serviceAddress?: string;
}

/** Who gets a client certificate. */
export type ClientName = 'admin' | 'controller-manager' | 'scheduler' | 'node-pool';

export interface ClusterPki {
  readonly directory: string;
  /** The authority's certificate, PEM: what clients trust, and what signs client certificates. */
  readonly caCert: string;
  readonly caKey: string;
  readonly serving: CertificatePair;
  client(name: ClientName): Promise<CertificatePair>;
  /** Keys of ServiceAccount tokens; the RSA key is made on its first use when there is none. */
  readonly tokenKeys: TokenKeys;
  /** PEM of the token key, once it is there. */
  tokenKeyPem(): Promise<string>;
}

const authorityDays = 3650;
const certificateDays = 365;
/** Renewed when less than this is left. */
const renewDays = 30;

const clusterHosts: readonly string[] = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'localhost',
  '127.0.0.1',
  '::1',
];

const clients: Readonly<Record<ClientName, CertificateRequest>> = {
  admin: { commonName: 'kubernetes-admin', organization: 'system:masters', usage: 'client' },
  'controller-manager': { commonName: 'system:kube-controller-manager', usage: 'client' },
  scheduler: { commonName: 'system:kube-scheduler', usage: 'client' },
  'node-pool': { commonName: 'system:homeostat:node-pool', organization: 'system:masters', usage: 'client' },
};

/** Opens or makes the PKI. @throws Error naming the file that can't be read or written */
export async function openClusterPki(options: ClusterPkiOptions): Promise<ClusterPki> {
  const { env, directory } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const nowMs = env.clock.nowMs();
  const authority =
    readPair(directory, 'ca') ??
    writePair(directory, 'ca', await createAuthority({ commonName: 'kubernetes' }, { nowMs, days: authorityDays }));
  checkPair(directory, 'ca', authority);
  const issue = async (name: string, request: CertificateRequest): Promise<CertificatePair> => {
    const present = readPair(directory, name);
    if (present !== undefined) checkPair(directory, name, present);
    if (present !== undefined && isUsable(present, request, authority, env.clock.nowMs())) return present;
    return writePair(
      directory,
      name,
      await issueCertificate(authority, request, { nowMs: env.clock.nowMs(), days: certificateDays }),
    );
  };
  const hosts = [
    ...new Set([
      ...clusterHosts,
      ...(options.serviceAddress === undefined ? [] : [options.serviceAddress]),
      ...(options.hosts ?? []),
    ]),
  ];
  const serving = await issue('apiserver', { commonName: 'kube-apiserver', usage: 'server', hosts });
  const tokenKey = createTokenKey(directory);
  return {
    directory,
    caCert: authority.cert,
    caKey: authority.key,
    serving,
    client: (name) => issue(name, clients[name]),
    tokenKeys: {
      signingKey: async () => (await tokenKey()).signing,
      verificationKeys: () => (tokenKey.present === undefined ? [] : [tokenKey.present.signing]),
    },
    tokenKeyPem: async () => (await tokenKey()).pem,
  };
}

interface TokenKey {
  readonly pem: string;
  readonly signing: SigningKey;
}

interface TokenKeySource {
  (): Promise<TokenKey>;
  present?: TokenKey;
}

// RSA takes tens of milliseconds to make, on a thread of its own: nobody waits for it before the first token is asked for.
function createTokenKey(directory: string): TokenKeySource {
  const file = path.join(directory, 'sa.key');
  let making: Promise<TokenKey> | undefined;
  const source: TokenKeySource = () => {
    if (source.present !== undefined) return Promise.resolve(source.present);
    making ??= generateRsa().then((pem) => {
      writeSecret(file, pem);
      source.present = { pem, signing: toSigningKey(createPrivateKey(pem)) };
      return source.present;
    });
    return making;
  };
  if (existsSync(file)) {
    const pem = readFileSync(file, 'utf8');
    source.present = { pem, signing: readable(file, () => toSigningKey(createPrivateKey(pem))) };
  }
  return source;
}

function generateRsa(): Promise<string> {
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', { modulusLength: 2048 }, (error, _publicKey, privateKey) => {
      if (error === null) resolve(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
      else reject(error);
    });
  });
}

function isUsable(
  pair: CertificatePair,
  request: CertificateRequest,
  authority: CertificatePair,
  nowMs: number,
): boolean {
  const certificate = new X509Certificate(pair.cert);
  if (Date.parse(certificate.validTo) - nowMs < renewDays * 86_400_000) return false;
  if (!certificate.checkIssued(new X509Certificate(authority.cert))) return false;
  return (request.hosts ?? []).every(
    (host) => (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
  );
}

/** A file of the PKI that holds something else than it should. */
class PkiError extends Error {
  override readonly name = 'PkiError';
  readonly code = 'bad-pki';
}

function checkPair(directory: string, name: string, pair: CertificatePair): void {
  readable(path.join(directory, `${name}.crt`), () => new X509Certificate(pair.cert));
  readable(path.join(directory, `${name}.key`), () => createPrivateKey(pair.key));
}

function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PkiError(`${file} can't be read (${why}); restore it, or delete its directory to have all made anew`, {
      cause: error,
    });
  }
}

function readPair(directory: string, name: string): CertificatePair | undefined {
  const cert = path.join(directory, `${name}.crt`);
  const key = path.join(directory, `${name}.key`);
  if (!existsSync(cert) || !existsSync(key)) return undefined;
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}

function writePair(directory: string, name: string, pair: CertificatePair): CertificatePair {
  writeSecret(path.join(directory, `${name}.key`), pair.key);
  writeSecret(path.join(directory, `${name}.crt`), pair.cert);
  return pair;
}

/** Writes a file for the owner's eyes only, whole or not at all. */
export function writeSecret(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}
