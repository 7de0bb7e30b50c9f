/**
 * The grammar of image references, as far as the pull policy needs it.
 * as distribution/reference
 */
const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const pathPart = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const tag = '[\\w][\\w.-]{0,127}';
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const reference = new RegExp(`^((?:${domain}/)?${pathPart}(?:/${pathPart})*)(?::(${tag}))?(?:@(${digest}))?$`);
const identifier = /^[a-f0-9]{64}$/;
const maxNameBytes = 255;

/** The tag of an image; `latest` for one with neither tag nor digest, '' for one with a digest alone or that cannot be read. */
// as pkg/util/parsers ParseImageName
export function imageTag(image: string): string {
  if (identifier.test(image)) return '';
  const [, name, itsTag, itsDigest] = reference.exec(withDomain(image)) ?? [];
  if (name === undefined || name.length > maxNameBytes) return '';
  return itsTag ?? (itsDigest === undefined ? 'latest' : '');
}

/** Names of Docker Hub stand without a domain; what is before the first slash is one only when it looks like it. */
function withDomain(image: string): string {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  if (isDomain) return image;
  return slash < 0 ? `docker.io/library/${image}` : `docker.io/${image}`;
}
