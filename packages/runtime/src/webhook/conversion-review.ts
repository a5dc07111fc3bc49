// Reading ConversionReviews (`apiextensions.k8s.io/v1`; v1beta1 has the same fields).

import { asList, asMap, type Json, type KubeObject } from '@homeostat/machinery';
import { BadReviewError } from './webhook.ts';

export interface ReadConversion {
  /** Of the review. */
  readonly apiVersion: string;
  readonly uid: string;
  readonly desiredApiVersion: string;
  readonly objects: readonly KubeObject[];
}

const versions = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

/** @throws BadReviewError naming what is missing or wrong */
export function readConversionReview(body: Json): ReadConversion {
  const { kind, apiVersion, request } = asMap(body) ?? {};
  if (kind !== 'ConversionReview' || typeof apiVersion !== 'string' || !versions.includes(apiVersion)) {
    const found = `kind ${JSON.stringify(kind ?? '')} of apiVersion ${JSON.stringify(apiVersion ?? '')}`;
    throw new BadReviewError(`wanted a ConversionReview of apiextensions.k8s.io/v1, got ${found}`);
  }
  const { uid, desiredAPIVersion, objects } = asMap(request ?? null) ?? {};
  if (typeof uid !== 'string' || uid === '') throw new BadReviewError('request.uid is missing');
  if (typeof desiredAPIVersion !== 'string' || desiredAPIVersion === '')
    throw new BadReviewError('request.desiredAPIVersion is missing');
  const list = asList(objects ?? null);
  if (list === undefined) throw new BadReviewError('request.objects must be a list');
  return {
    apiVersion,
    uid,
    desiredApiVersion: desiredAPIVersion,
    objects: list.map((object, index) => {
      const map = asMap(object);
      if (map === undefined) throw new BadReviewError(`request.objects[${index}] must be an object`);
      return map as KubeObject;
    }),
  };
}
