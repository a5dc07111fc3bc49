// Random histories: whatever users did and whatever failed, when the faults stop the cluster converges and all checkers hold.

import { describe } from 'node:test';
import { historiesEndInAgreement } from './run-histories.ts';

describe('random histories', () => {
  historiesEndInAgreement('of a network that fails now and then', 40, {});
  historiesEndInAgreement('without faults', 25, { faultRate: 0 });
});
