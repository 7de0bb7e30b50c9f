import { ExpectedError } from '../../lib/logging/cause.js';
import { ownValue } from '../../lib/collections/own-value.js';
/** A container image reference in parts: `host/repository:tag` or `host/repository@digest`. */
export interface Image {
  readonly host: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

const component = /[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*/.source;
const label = /(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])/.source;
const host = `(?:${label}(?:\\.${label})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const name = `(?:${host}/)?${component}(?:/${component})*`;
const tagPattern = /[\w][\w.-]{0,127}/.source;
const digestPattern = /[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}/.source;
const reference = new RegExp(`^(${name})(?::(${tagPattern}))?(?:@(${digestPattern}))?$`);
const wholeTag = new RegExp(`^${tagPattern}$`);
const wholeDigest = new RegExp(`^${digestPattern}$`);
/** The length of a digest by its algorithm, in hexadecimal digits. */
const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };
const maxNameLength = 255;
/** Maximum characters of a reference, which is more than a name, a tag and a digest of a known algorithm have. */
const maxReferenceLength = 1024;

/** Parses a reference by the grammar of github.com/distribution/reference. If it has a tag, its digest is dropped. Throws ExpectedError. */
export function parseImage(text: string): Image {
  const fail = (why: string): never => {
    throw new ExpectedError(`failed to parse image value(${text.slice(0, maxReferenceLength)}), error: ${why}`);
  };
  if (text.length > maxReferenceLength) fail('invalid reference format');
  const match = reference.exec(text) ?? fail('invalid reference format');
  const [, full = '', tag = '', digest = ''] = match;
  if (full.length > maxNameLength) fail('repository name must not be more than 255 characters');
  const [algorithm = '', hex = ''] = digest.split(':');
  if (digest && ownValue(digestLengths, algorithm) === undefined) fail('unsupported digest algorithm');
  if (digest && hex.length !== digestLengths[algorithm]) fail('invalid checksum digest length');
  if (/[A-F]/.test(hex)) fail('invalid checksum digest format');
  const slash = full.indexOf('/');
  const first = full.slice(0, Math.max(0, slash));
  const hasHost = slash > 0 && (/[.:]/.test(first) || first === 'localhost');
  return {
    host: hasHost ? first : '',
    repository: hasHost ? full.slice(slash + 1) : full,
    tag,
    digest: tag ? '' : digest,
  };
}

/** Returns an image as it is written in a manifest. A tag takes precedence over a digest. as pkg/util/imageparser Components.String */
export function imageText({ host, repository, tag, digest }: Image): string {
  const full = host ? `${host}/${repository}` : repository;
  return tag ? `${full}:${tag}` : digest ? `${full}@${digest}` : full;
}

/** Returns the image with a tag or a digest, which replaces the other one; the image itself if the text is neither. */
export function withTagOrDigest(image: Image, text: string): Image {
  if (wholeTag.test(text)) return { ...image, tag: text, digest: '' };
  if (wholeDigest.test(text)) return { ...image, tag: '', digest: text };
  return image;
}
