// Random histories in rough weather: a fifth of all requests fails, or watches lose events, which no server should do.

import { describe } from 'node:test';
import { historiesEndInAgreement } from './run-histories.ts';

describe('rough histories', () => {
  historiesEndInAgreement('of a network that fails often', 50, { faultRate: 0.2, steps: 15 });
  historiesEndInAgreement('in which watches lose events', 20, { swallow: true, steps: 15 });
});
