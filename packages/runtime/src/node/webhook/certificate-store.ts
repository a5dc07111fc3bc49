// Where a self-made authority and its certificate are kept between starts and shared between replicas.

import type { Secret } from '@homeostat/api/types/core-v1';
import { type Client, isAlreadyExists, isConflict, isNotFound } from '@homeostat/client';
import { secrets } from '@homeostat/client/resources';
import { decodeBase64, encodeBase64 } from '@homeostat/machinery';
import type { CertificatePair } from '../pki/certificate-authority.ts';

export interface StoredCertificates {
  /** Signs `serving`. */
  readonly authority: CertificatePair;
  /** PEM of what clients shall trust: the authority, and before it the one it took over from. */
  readonly caBundle: string;
  readonly serving: CertificatePair;
}

export interface CertificateStore {
  load(signal: AbortSignal): Promise<StoredCertificates | undefined>;
  /** Whether it was kept; false when somebody else kept something since the last load: load again. */
  save(certificates: StoredCertificates, signal: AbortSignal): Promise<boolean>;
}

/** Forgets all with the process: for tests, and for operators of one replica. */
export function memoryCertificateStore(): CertificateStore {
  let kept: StoredCertificates | undefined;
  return {
    load: () => Promise.resolve(kept),
    save(certificates) {
      kept = certificates;
      return Promise.resolve(true);
    },
  };
}

export interface SecretStoreOptions {
  readonly client: Client;
  readonly namespace: string;
  /** Made when it is absent, of type `kubernetes.io/tls`; one that is there, e.g. a chart's, keeps its type, labels and other data. */
  readonly name: string;
}

const keys = {
  caBundle: 'ca.crt',
  caCert: 'signing-ca.crt',
  caKey: 'ca.key',
  cert: 'tls.crt',
  key: 'tls.key',
} as const;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A Secret, so that all replicas serve under one authority. The operator needs get, create and update on it. */
export function secretCertificateStore({ client, namespace, name }: SecretStoreOptions): CertificateStore {
  /** As it was read: what others put into it stays. */
  let found: Secret | undefined;
  return {
    async load(signal) {
      try {
        found = await client.get(secrets, { namespace, name, signal });
        return fromData(found.data ?? {});
      } catch (error) {
        if (!isNotFound(error)) throw error;
        found = undefined;
        return undefined;
      }
    },
    async save(certificates, signal) {
      const data = { ...found?.data, ...toData(certificates) };
      try {
        if (found === undefined) {
          const metadata = { namespace, name };
          await client.create(secrets, { object: { metadata, type: 'kubernetes.io/tls', data }, signal });
        } else await client.update(secrets, { object: { ...found, data }, signal });
        return true;
      } catch (error) {
        if (isConflict(error) || isAlreadyExists(error)) return false;
        throw error;
      }
    },
  };
}

function toData({ authority, caBundle, serving }: StoredCertificates): Readonly<Record<string, string>> {
  const texts = {
    [keys.caBundle]: caBundle,
    [keys.caCert]: authority.cert,
    [keys.caKey]: authority.key,
    [keys.cert]: serving.cert,
    [keys.key]: serving.key,
  };
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encodeBase64(encoder.encode(text))]));
}

/** Undefined when something is missing: it is made anew. */
function fromData(data: Readonly<Record<string, string>>): StoredCertificates | undefined {
  const text = (key: string): string => decoder.decode(decodeBase64(data[key] ?? ''));
  const certificates = {
    authority: { cert: text(keys.caCert), key: text(keys.caKey) },
    caBundle: text(keys.caBundle),
    serving: { cert: text(keys.cert), key: text(keys.key) },
  };
  const { authority, caBundle, serving } = certificates;
  const complete = [authority.cert, authority.key, caBundle, serving.cert, serving.key].every((part) => part !== '');
  return complete ? certificates : undefined;
}
