import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeSwagger } from './swagger-protobuf.ts';

const document = {
  swagger: '2.0',
  info: { title: 't', version: 'v1' },
  paths: {
    '/a/{n}': {
      get: {
        operationId: 'readA',
        tags: ['a'],
        consumes: ['*/*'],
        responses: { '200': { description: 'OK', schema: { $ref: '#/definitions/A' } } },
      },
      parameters: [
        { name: 'n', in: 'path', required: true, type: 'string', uniqueItems: true },
        { name: 'q', in: 'query', type: 'integer' },
        { $ref: '#/parameters/p' },
      ],
    },
  },
  definitions: {
    A: {
      type: 'object',
      required: ['list'],
      properties: {
        list: { type: 'array', items: { $ref: '#/definitions/A' } },
        map: { type: 'object', additionalProperties: { type: 'string', format: 'int-or-string' } },
        any: { additionalProperties: false },
      },
    },
  },
  parameters: { p: { name: 'body', in: 'body', required: true, schema: { type: 'object' } } },
  security: [{ BearerToken: [] }],
  securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
};

// What gnostic-models v0.7.0 writes for the same document.
const expected = [
  'CgMyLjASBwoBdBICdjFCkgESjwEKBi9hL3tufRKEARI1CgFhKgVyZWFkQToDKi8qSiQKIgoDMjAwEhsKGQoCT0sSEwoRCg8j',
  'L2RlZmluaXRpb25zL0FKHAoaEhgiFggBEgRwYXRoIgFuKgZzdHJpbmeYAQFKGQoXEhUaExIFcXVlcnkiAXEyB2ludGVnZXJK',
  'EhIQCg4jL3BhcmFtZXRlcnMvcEqJAQqGAQoBQRKAAZoBBGxpc3SyAQgKBm9iamVjdMoBawooCgRsaXN0EiCyAQcKBWFycmF5',
  'ugETChEKDyMvZGVmaW5pdGlvbnMvQQoxCgNtYXASKqoBHAoaEg1pbnQtb3Itc3RyaW5nsgEICgZzdHJpbmeyAQgKBm9iamVj',
  'dAoMCgNhbnkSBaoBAhAAUiQKIgoBcBIdChsSBGJvZHkaBGJvZHkgASoLsgEICgZvYmplY3RiEQoPCgtCZWFyZXJUb2tlbhIA',
  'ajIKMAoLQmVhcmVyVG9rZW4SIRIfCgZhcGlLZXkSDWF1dGhvcml6YXRpb24aBmhlYWRlcg==',
].join('');

test('encodeSwagger() writes the bytes gnostic writes', () => {
  assert.equal(Buffer.from(encodeSwagger(document)).toString('base64'), expected);
});

test('encodeSwagger() writes values of any type as JSON, extensions with their names', () => {
  const swagger = { definitions: { A: { default: { a: [1] }, 'x-kubernetes-list-type': 'map' } } };
  const text = Buffer.from(encodeSwagger(swagger)).toString('latin1');
  assert.ok(text.includes('{"a":[1]}'));
  assert.ok(text.includes('x-kubernetes-list-type'));
  assert.ok(text.includes('"map"'));
});
