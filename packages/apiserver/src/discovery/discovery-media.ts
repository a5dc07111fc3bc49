// Which form of discovery a client asks for: the aggregated document in one of three encodings, or the plain ones. The
// first clause of the Accept header that can be served wins (spec/apiserver.md §10.2).

import { clausesOf, type MediaType, servedMediaTypes } from '../endpoints/media-types.ts';

/** Parameters every aggregated media type carries, in answers too. */
export const aggregatedParameters = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The encoding of the aggregated document, or undefined when a plain document, or nothing that is served, comes first. */
export function aggregatedMedia(accept: string): MediaType | undefined {
  if (!accept.includes('apidiscovery.k8s.io')) return undefined;
  for (const { type, subtype, parameters } of clausesOf(accept)) {
    const media = servedMediaTypes.find((each) => each === `${type}/${subtype}`);
    const asked = parameters.get('as');
    if (asked === undefined && (media !== undefined || type === '*')) return undefined;
    if (media === undefined || asked !== 'APIGroupDiscoveryList') continue;
    if (parameters.get('g') === 'apidiscovery.k8s.io' && parameters.get('v') === 'v2') return media;
  }
  return undefined;
}
