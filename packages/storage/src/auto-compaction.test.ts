// Compaction by time and by count, in virtual time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv, Scope } from '@homeostat/base';
import { runAutoCompaction, type AutoCompactionOptions } from './auto-compaction.ts';

function setUp(options: Partial<AutoCompactionOptions> = {}) {
  const { clock } = createVirtualEnv();
  const errors: unknown[] = [];
  const store = {
    revision: 1,
    compactedRevision: 1,
    compact: async (revision: number): Promise<void> => {
      store.compactedRevision = revision;
    },
  };
  const scope = new Scope();
  scope.spawn('compaction', (signal) =>
    runAutoCompaction({ store, clock, onError: (error) => errors.push(error), ...options, signal }),
  );
  return { clock, store, scope, errors };
}

describe('runAutoCompaction()', () => {
  it('compacts to what was current one period before', async () => {
    const { clock, store, scope } = setUp();
    await clock.settle();
    store.revision = 100;
    await clock.advance(301_000);
    assert.equal(store.compactedRevision, 1, 'what is 5 minutes old is kept');
    store.revision = 200;
    await clock.advance(301_000);
    assert.equal(store.compactedRevision, 100);
    await clock.advance(301_000);
    assert.equal(store.compactedRevision, 200);
    await scope.close();
  });

  it('keeps no more revisions than asked, however young', async () => {
    const { clock, store, scope } = setUp({ revisionsMax: 50 });
    await clock.settle();
    store.revision = 500;
    await clock.advance(11_000);
    assert.equal(store.compactedRevision, 450);
    await scope.close();
  });

  it('reports a failure and tries again', async () => {
    const { clock, store, scope, errors } = setUp({ revisionsMax: 10 });
    const { compact } = store;
    store.compact = () => Promise.reject(new Error('disk full'));
    store.revision = 100;
    await clock.advance(11_000);
    assert.equal(errors.length, 1);
    store.compact = compact;
    await clock.advance(10_000);
    assert.equal(store.compactedRevision, 90);
    await scope.close();
  });
});
