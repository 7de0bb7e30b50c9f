/** Parses image references, as far as the pull policy needs it. as distribution/reference */
const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const pathPart = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const tag = '[\\w][\\w.-]{0,127}';
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const reference = new RegExp(`^((?:${domain}/)?${pathPart}(?:/${pathPart})*)(?::(${tag}))?(?:@(${digest}))?$`);
const identifier = /^[a-f0-9]{64}$/;
const maxNameBytes = 255;

/** Returns the tag of an image; `latest` for one with neither tag nor digest, '' for one with only a digest or that cannot be read. */
// as pkg/util/parsers ParseImageName
export function imageTag(image: string): string {
  if (identifier.test(image)) return '';
  const [, name, itsTag, itsDigest] = reference.exec(withDomain(image)) ?? [];
  if (name === undefined || name.length > maxNameBytes) return '';
  return itsTag ?? (itsDigest === undefined ? 'latest' : '');
}

/** Names on Docker Hub have no domain; the part before the first slash is a domain only if it looks like one. */
function withDomain(image: string): string {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  if (isDomain) return image;
  return slash < 0 ? `docker.io/library/${image}` : `docker.io/${image}`;
}
