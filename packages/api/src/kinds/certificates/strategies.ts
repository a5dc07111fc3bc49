// The strategies of certificates.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { certificateSigningRequestStrategy } from './certificate-signing-request.ts';

export const certificatesStrategies: StrategyMap = {
  CertificateSigningRequest: certificateSigningRequestStrategy,
};
