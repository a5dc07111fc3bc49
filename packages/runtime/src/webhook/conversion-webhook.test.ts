import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import type { Json, KubeObject } from '@homeostat/machinery';
import { convertKind, createConversionWebhook } from './conversion-webhook.ts';
import { BadReviewError } from './webhook.ts';

interface V1 extends KubeObject {
  readonly spec: { readonly host: string; readonly port: number };
}
interface Beta extends KubeObject {
  readonly spec: { readonly address: string };
}
interface Alpha extends KubeObject {
  readonly spec: { readonly url: string };
}

const conversion = convertKind<V1>({
  group: 'example.com',
  kind: 'Target',
  hub: 'v1',
  spokes: {
    v1beta1: {
      toHub({ spec, ...rest }: Beta): V1 {
        const [host = '', port = ''] = spec.address.split(':');
        if (port === '') throw new Error(`no port in ${spec.address}`);
        return { ...rest, spec: { host, port: Number(port) } };
      },
      fromHub: ({ spec, ...rest }): Beta => ({ ...rest, spec: { address: `${spec.host}:${spec.port}` } }),
    },
    v1alpha1: {
      toHub: ({ spec, metadata }: Alpha): V1 => ({
        metadata: { ...metadata, name: 'renamed', annotations: { was: spec.url } },
        spec: { host: new URL(spec.url).hostname, port: Number(new URL(spec.url).port) },
      }),
      fromHub: ({ spec, ...rest }): Alpha => ({ ...rest, spec: { url: `http://${spec.host}:${spec.port}` } }),
    },
  },
});

const webhook = createConversionWebhook({ kinds: [conversion] });
const failures: unknown[] = [];

async function convert(desiredAPIVersion: string, ...objects: readonly object[]): Promise<unknown> {
  const body = {
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    request: { uid: 'u1', desiredAPIVersion, objects },
  };
  const review = (await webhook.review(body as unknown as Json, {
    env: createVirtualEnv(),
    signal: new AbortController().signal,
    onFailure: (error) => void failures.push(error),
  })) as { readonly kind: string; readonly apiVersion: string; readonly response: { readonly uid: string } };
  assert.deepEqual(
    [review.kind, review.apiVersion, review.response.uid],
    ['ConversionReview', 'apiextensions.k8s.io/v1', 'u1'],
  );
  const { uid: _uid, ...rest } = review.response;
  return rest;
}

const metadata = { name: 't', namespace: 'n', uid: 'x', resourceVersion: '7', labels: { a: 'b' } };
const beta = { apiVersion: 'example.com/v1beta1', kind: 'Target', metadata, spec: { address: 'h:80' } };

test('objects go through the hub, in order; those of the version asked for stay as they are', async () => {
  const v1 = { apiVersion: 'example.com/v1', kind: 'Target', metadata, spec: { host: 'h', port: 80 } };
  assert.deepEqual(await convert('example.com/v1', beta, v1), {
    convertedObjects: [v1, v1],
    result: { status: 'Success' },
  });
  assert.deepEqual(await convert('example.com/v1alpha1', beta), {
    convertedObjects: [{ apiVersion: 'example.com/v1alpha1', kind: 'Target', metadata, spec: { url: 'http://h:80' } }],
    result: { status: 'Success' },
  });
});

test('of the metadata only labels and annotations change', async () => {
  const alpha = { apiVersion: 'example.com/v1alpha1', kind: 'Target', metadata, spec: { url: 'http://h:81' } };
  assert.deepEqual(await convert('example.com/v1beta1', alpha), {
    convertedObjects: [
      { ...beta, metadata: { ...metadata, annotations: { was: 'http://h:81' } }, spec: { address: 'h:81' } },
    ],
    result: { status: 'Success' },
  });
});

test('one object that cannot be converted fails them all, by name', async () => {
  const failure = (message: string): object => ({ convertedObjects: [], result: { status: 'Failure', message } });
  assert.deepEqual(
    await convert('example.com/v1', beta, { ...beta, spec: { address: 'portless' } }),
    failure('cannot convert Target n/t from example.com/v1beta1 to example.com/v1: no port in portless'),
  );
  assert.deepEqual(
    await convert('example.com/v9', beta),
    failure('cannot convert Target n/t from example.com/v1beta1 to example.com/v9: version v9 is not known'),
  );
  assert.deepEqual(
    await convert('example.com/v1', { ...beta, kind: 'Other' }),
    failure('cannot convert Other n/t from example.com/v1beta1 to example.com/v1: no conversion is known for the kind'),
  );
  assert.equal(failures.length, 3);
});

test('what is no ConversionReview is refused', async () => {
  const context = { env: createVirtualEnv(), signal: new AbortController().signal, onFailure: () => {} };
  await assert.rejects(webhook.review({ kind: 'AdmissionReview' }, context), BadReviewError);
  await assert.rejects(
    webhook.review({ kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', request: { uid: 'u' } }, context),
    { message: 'request.desiredAPIVersion is missing' },
  );
  assert.throws(() => createConversionWebhook({ kinds: [conversion, conversion] }), /given twice/);
});
