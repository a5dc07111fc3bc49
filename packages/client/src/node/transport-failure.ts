// What Node throws, as TransportError: the caller must know whether the request can have reached the server.

import { TransportError, type TransportErrorCode } from '../transport/transport-error.ts';

const codes: Readonly<Record<string, TransportErrorCode>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'refused',
  EAI_AGAIN: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EHOSTDOWN: 'refused',
  ERR_INVALID_URL: 'refused',
  ETIMEDOUT: 'timeout',
  EPROTO: 'tls',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls',
};

/** Wraps an error of Node's network layer. Errors that are TransportErrors already pass. */
export function toTransportError(error: unknown, doing: string): TransportError {
  if (error instanceof TransportError) return error;
  const { code = '', message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) };
  const text = plainer(code, message);
  return new TransportError(codeOf(code, message), `${doing}: ${text}`, { cause: error });
}

/** What Node says, in words that help. */
function plainer(code: string, message: string): string {
  if (message === 'aborted') return 'the connection was closed before the answer had ended';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'the other side does not speak TLS: is it http?';
  return message.trim();
}

function codeOf(code: string, message: string): TransportErrorCode {
  const known = codes[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_') || code.startsWith('Z_')) return 'protocol';
  if (
    code.startsWith('ERR_SSL') ||
    code.startsWith('ERR_OSSL') ||
    code.startsWith('CERT_') ||
    code.includes('CERTIFICATE') ||
    code.includes('SELF_SIGNED')
  )
    return 'tls';
  if (code.startsWith('UNABLE_TO_') || message.includes('certificate')) return 'tls';
  return 'reset';
}
