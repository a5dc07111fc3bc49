// A Node request as the core's ApiRequest: headers joined, body as a stream, the peer's verified certificate.

import type http from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ApiRequest, Peer } from '@homeostat/client';

const bodiless = new Set(['GET', 'HEAD', 'OPTIONS']);

export function readRequest(incoming: http.IncomingMessage, signal: AbortSignal): ApiRequest {
  const url = incoming.url ?? '/';
  const mark = url.indexOf('?');
  const method = incoming.method ?? 'GET';
  return {
    method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: headersOf(incoming),
    ...(bodiless.has(method) ? {} : { body: { kind: 'stream', chunks: incoming as AsyncIterable<Uint8Array> } }),
    peer: peerOf(incoming),
    signal,
  };
}

/** Lower-case names without HTTP/2 pseudo-headers; repeated ones joined. */
function headersOf(incoming: http.IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const raw = incoming.rawHeaders;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    if (name.startsWith(':')) continue;
    const value = raw[index + 1] ?? '';
    const known = headers[name];
    headers[name] = known === undefined ? value : `${known}, ${value}`;
  }
  return headers;
}

const peers = new WeakMap<object, Peer>();

/** Looked up once a connection: reading a certificate is costly and does not change. */
function peerOf(incoming: http.IncomingMessage): Peer {
  const socket = incoming.socket as TLSSocket;
  const session = (incoming as { stream?: { session?: { socket?: TLSSocket } } }).stream?.session;
  const key = session ?? socket;
  let peer = peers.get(key);
  if (peer === undefined) {
    peer = readPeer(session?.socket ?? socket);
    peers.set(key, peer);
  }
  return peer;
}

function readPeer(socket: TLSSocket): Peer {
  const { remoteAddress } = socket;
  const address = remoteAddress === undefined ? {} : { remoteAddress };
  if (socket.authorized !== true) return address;
  const certificate = socket.getPeerCertificate();
  const commonName = single(certificate.subject?.CN);
  if (commonName === '') return address;
  return {
    ...address,
    clientCertificate: {
      commonName,
      organizations: several(certificate.subject.O as string | string[] | undefined),
      fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    },
  };
}

function single(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

function several(value: string | string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
