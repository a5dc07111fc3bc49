// Client certificates: the transport has verified the chain and hands over subject and fingerprint; the common name is the
// user, the organizations are the groups (spec/apiserver.md §16).

import type { ApiRequest } from '@homeostat/client';
import type { Authenticator } from '../server/authenticator.ts';
import type { User } from '../server/user.ts';

export class ClientCertificates implements Authenticator {
  authenticate(request: ApiRequest): User | undefined {
    const certificate = request.peer?.clientCertificate;
    if (certificate === undefined || certificate.commonName === '') return undefined;
    const fingerprint = certificate.fingerprint.replaceAll(':', '').toLowerCase();
    return {
      username: certificate.commonName,
      uid: '',
      groups: certificate.organizations,
      extra: fingerprint === '' ? {} : { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    };
  }
}
