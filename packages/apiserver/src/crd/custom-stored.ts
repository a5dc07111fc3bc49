// A custom resource as it is stored, seen from one of its versions: the pipelines work on that version's objects, what is
// written is the storage version's. All versions share keys and cache.

import { type Json, type KubeObject, type Mutable, sortJson } from '@homeostat/machinery';
import { StoredResource, type StoredResourceOptions } from '../registry/stored-resource.ts';
import { type ObjectVersion, withoutResourceVersion } from '../watch-cache/object-version.ts';
import type { StoredObject } from '../watch-cache/stored-object.ts';
import type { CleanObjects } from './clean-objects.ts';
import type { CustomVersion } from './custom-version.ts';
import { canonicalMetadata, type VersionSchema } from './version-schema.ts';

export interface CustomStoredOptions extends StoredResourceOptions {
  readonly version: CustomVersion;
  readonly storage: VersionSchema;
  readonly clean: CleanObjects;
}

export class CustomStored extends StoredResource {
  readonly #version: CustomVersion;
  readonly #storage: VersionSchema;
  readonly #clean: CleanObjects;

  constructor(options: CustomStoredOptions) {
    super(options);
    this.#version = options.version;
    this.#storage = options.storage;
    this.#clean = options.clean;
  }

  override working(version: ObjectVersion): KubeObject {
    return this.#version.object(version);
  }

  override toStored(draft: Mutable<KubeObject> | KubeObject): StoredObject {
    const isStorage = draft.apiVersion === this.#storage.apiVersion;
    const converted = isStorage ? (draft as KubeObject) : this.#storage.convert(draft as KubeObject);
    const metadata = canonicalMetadata(converted.metadata);
    const holder = this.finish(
      withoutResourceVersion(sortJson({ ...converted, metadata } as KubeObject as Json) as KubeObject),
    );
    if (isStorage) this.#clean.add(holder);
    return holder;
  }
}
