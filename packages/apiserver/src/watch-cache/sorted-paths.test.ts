import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ObjectVersion } from './object-version.ts';
import { SortedPaths } from './sorted-paths.ts';
import { StoredObject } from './stored-object.ts';

const holder = new StoredObject({});
const name = fc.constantFrom('a', 'a-b', 'a.b', 'b', 'c0', 'z');

test('SortedPaths lists in key order after any sequence of changes', () => {
  const change = fc.record({ namespace: name, name, remove: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const paths = new SortedPaths();
      const model = new Map<string, number>();
      changes.forEach(({ namespace, name: object, remove }, index) => {
        const path = `${namespace}/${object}`;
        if (remove) {
          paths.delete(namespace, object);
          model.delete(path);
        } else {
          paths.set(new ObjectVersion(path, index + 1, holder));
          model.set(path, index + 1);
        }
      });
      const wanted = [...model.keys()].sort();
      assert.deepEqual(
        paths.list().map((version) => version.path),
        wanted,
      );
      assert.equal(paths.size, wanted.length);
      assert.deepEqual(
        paths.list('a').map((version) => version.path),
        wanted.filter((path) => path.startsWith('a/')),
      );
      for (const [path, revision] of model) {
        const [namespace = '', object = ''] = path.split('/');
        assert.equal(paths.get(namespace, object)?.revision, revision);
      }
    }),
  );
});
