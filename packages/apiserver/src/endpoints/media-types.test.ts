import assert from 'node:assert/strict';
import { test } from 'node:test';
import { negotiate, routerAccepts } from './media-types.ts';

const rules = { table: true, transforms: true };

test('negotiate() takes the first clause the endpoint can serve', () => {
  assert.equal(negotiate('', rules)?.type, 'application/json');
  assert.equal(negotiate('*/*', rules)?.type, 'application/json');
  assert.equal(
    negotiate('application/vnd.kubernetes.protobuf,application/json', rules)?.type,
    'application/vnd.kubernetes.protobuf',
  );
  assert.equal(negotiate('text/html;q=0.9, application/yaml;q=0.1', rules)?.type, 'application/yaml');
  assert.equal(negotiate('application/json;q=0.2,application/yaml;q=0.8', rules)?.type, 'application/yaml');
  assert.equal(negotiate('application/xml', rules), undefined);
});

test('negotiate() passes over transforms that are not served', () => {
  const kubectl =
    'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
  assert.deepEqual(negotiate(kubectl, rules)?.transform, { kind: 'Table', version: 'v1' });
  assert.equal(negotiate(kubectl, { table: false, transforms: true })?.transform, undefined);
  assert.equal(negotiate('application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io', rules), undefined);
  assert.equal(negotiate('application/json;as=Odd;v=v1;g=meta.k8s.io,application/json', rules)?.transform, undefined);
  assert.equal(
    negotiate('application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', rules)?.transform
      ?.kind,
    'PartialObjectMetadata',
  );
});

test('routerAccepts() knows only bare types and the full wildcard', () => {
  assert.equal(routerAccepts('application/json;as=Odd'), true);
  assert.equal(routerAccepts('application/*'), false);
  assert.equal(routerAccepts('text/html, */*;q=0.1'), true);
});
