// Names of container images: `[domain/]path[:tag][@digest]`, normalised as container runtimes do
// (`nginx` is `docker.io/library/nginx:latest`).

const component = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const host = `(?:${component}(?:\\.${component})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const pathComponent = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const path = `${pathComponent}(?:/${pathComponent})*`;
const tag = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const reference = new RegExp(`^((?:${host}/)?${path})(?::(${tag}))?(?:@(${digest}))?$`);
const identifier = /^[a-f0-9]{64}$/;
const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

export interface ImageName {
  /** With its domain, without tag and digest. */
  readonly repository: string;
  /** `latest` when neither tag nor digest was given; empty when only a digest was. */
  readonly tag: string;
  readonly digest: string;
}

/** Parses an image's name; undefined when it is none. */
export function parseImageName(image: string): ImageName | undefined {
  if (identifier.test(image)) return undefined;
  const match = reference.exec(withDomain(image));
  if (match === null) return undefined;
  const [, repository = '', givenTag = '', givenDigest = ''] = match;
  if (repository.length > 255 || !isKnownDigest(givenDigest)) return undefined;
  return { repository, tag: givenTag === '' && givenDigest === '' ? 'latest' : givenTag, digest: givenDigest };
}

function withDomain(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const isDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  if (isDomain && first !== 'docker.io' && first !== 'index.docker.io') return image;
  const rest = isDomain ? image.slice(slash + 1) : image;
  return rest.includes('/') ? `docker.io/${rest}` : `docker.io/library/${rest}`;
}

function isKnownDigest(text: string): boolean {
  if (text === '') return true;
  const [algorithm = '', hex = ''] = text.split(':');
  return digestLengths[algorithm] === hex.length && hex.toLowerCase() === hex;
}
