// A request that was matched to a served resource: everything an endpoint needs, negotiated and decoded once.

import {
  tableFor,
  type KindStrategy,
  type ResourceInfo,
  type SubresourceInfo,
  type TableStrategy,
} from '@homeostat/api';
import type { Env } from '@homeostat/base';
import type { CustomKind } from '../crd/custom-kind.ts';
import type { RequestContext } from '../server/request-context.ts';
import type { AdmissionChain } from '../server/admission-chain.ts';
import type { Authorizer } from '../server/authorizer.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { WriteContext } from '../registry/write-context.ts';
import type { ServedVersion } from './served-version.ts';

export interface EndpointServices {
  readonly env: Env;
  readonly admission: AdmissionChain;
  readonly authorizer: Authorizer;
}

/** A served resource with all that is needed to serve it. */
export interface ServedResourceEntry {
  readonly info: ResourceInfo;
  readonly strategy: KindStrategy;
  readonly version: ServedVersion;
  /** Undefined for resources that store nothing (reviews). */
  readonly stored: StoredResource | undefined;
  /** Of custom resources. */
  readonly custom?: CustomKind;
}

export interface EndpointRequest {
  readonly context: RequestContext;
  readonly services: EndpointServices;
  readonly entry: ServedResourceEntry;
  readonly subresource: SubresourceInfo | undefined;
  /** Empty for cluster-scoped kinds and lists over all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

export function tableOf(entry: ServedResourceEntry): TableStrategy {
  return (entry.strategy.table as TableStrategy | undefined) ?? tableFor(entry.info);
}

export function writeContext(request: EndpointRequest, dryRun: boolean): WriteContext {
  const { context, entry } = request;
  return {
    user: context.user,
    signal: context.signal,
    warnings: context.warnings,
    dryRun,
    requestVersion: entry.version.apiVersion,
    term: context.term,
  };
}
