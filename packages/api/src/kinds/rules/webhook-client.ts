// Where webhooks are called: a URL, or a Service of the cluster. Shared by admission webhooks and CRD conversion.

import {
  type FieldError,
  type FieldPath,
  invalid,
  isDns1123Subdomain,
  isPortNumber,
  required,
} from '@homeostat/machinery';

const form = '; desired format: https://host[/path]';

export function validateWebhookUrl(text: string, path: FieldPath, errors: FieldError[]): void {
  const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  if (parts === null) return;
  const [, scheme = '', authority = '', , query = '', fragment = ''] = parts;
  const at = authority.lastIndexOf('@');
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`));
  }
  if (authority.slice(at + 1) === '') errors.push(invalid(path, '', `host must be specified${form}`));
  if (at >= 0) errors.push(invalid(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
}

export interface WebhookService {
  readonly name?: string;
  readonly namespace?: string;
  readonly path?: string;
  readonly port?: number;
}

export function validateWebhookService(service: WebhookService, path: FieldPath, errors: FieldError[]): void {
  if ((service.name ?? '') === '') errors.push(required(path.child('name')));
  if ((service.namespace ?? '') === '') errors.push(required(path.child('namespace')));
  const port = service.port ?? 0;
  const portTexts = isPortNumber(port);
  if (portTexts.length > 0) {
    errors.push(invalid(path.child('port'), port, `port is not valid: ${portTexts.join(',')}`));
  }
  if (service.path !== undefined) validateServicePath(service.path, path.child('path'), errors);
}

function validateServicePath(text: string, path: FieldPath, errors: FieldError[]): void {
  if (text === '' || text === '/') return;
  if (text === '//') {
    errors.push(invalid(path, text, 'segment[0] may not be empty'));
    return;
  }
  if (!text.startsWith('/')) errors.push(invalid(path, text, "must start with a '/'"));
  const segments = text.slice(1).replace(/\/$/, '').split('/');
  for (const [index, segment] of segments.entries()) {
    if (segment === '') errors.push(invalid(path, text, `segment[${index}] may not be empty`));
    else {
      for (const problem of isDns1123Subdomain(segment))
        errors.push(invalid(path, text, `segment[${index}]: ${problem}`));
    }
  }
}
