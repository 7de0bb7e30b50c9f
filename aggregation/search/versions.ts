/** Encodes resourceVersions of several clusters as one text, and continue tokens of lists over them. as pkg/search/proxy/store/util.go */

/** The resourceVersion of each cluster; '0' for all if any version will do. */
export interface Versions {
  get(cluster: string): string;
  set(cluster: string, version: string): void;
  has(cluster: string): boolean;
  /** '' without any cluster. */
  toString(): string;
}

const read = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined; // malformed text counts as no version
  }
};

/** Reports whether a text is an encoded version or continue token: an object. */
export function isEncoded(text: string): boolean {
  const value = read(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const write = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function entriesOf(text: string): [string, string][] {
  const value = text === '' || text === '0' ? undefined : read(text);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** Reads a resourceVersion of all clusters. For '0', each cluster has the version '0'. */
export function readVersions(text = ''): Versions {
  const known = new Map(entriesOf(text));
  let any = text === '0';
  return {
    get: cluster => (any ? '0' : (known.get(cluster) ?? '')),
    set(cluster, version) {
      known.set(cluster, version);
      if (version !== '0') any = false;
    },
    has: cluster => known.has(cluster),
    toString() {
      if (any) return '0';
      const sorted = [...known].sort(([a], [b]) => (a < b ? -1 : 1));
      return sorted.length === 0 ? '' : write(Object.fromEntries(sorted));
    },
  };
}

/** Returns the encoded resourceVersion of an object in one cluster. */
export const versionIn = (cluster: string, version: string): string => write({ [cluster]: version });

/** Returns the version of one cluster in an encoded version, '' if it has none; undefined if the text is not an encoded version. */
export function versionFor(cluster: string, text: string): string | undefined {
  const value = text === '' || text === '0' ? undefined : read(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const version = (value as Record<string, unknown>)[cluster];
  return typeof version === 'string' ? version : '';
}

/** Content of a continue token. */
interface ContinueToken {
  readonly versions: string;
  readonly cluster: string;
  /** The member's own continue token; '' at the beginning of a cluster. */
  readonly token: string;
}

/** Reads a continue token. Fields that it does not have are ''. */
export function readContinueToken(text: string): ContinueToken {
  const value = read(text);
  const {
    rv,
    cluster,
    continue: token,
  } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const textOf = (field: unknown): string => (typeof field === 'string' ? field : '');
  return { versions: textOf(rv), cluster: textOf(cluster), token: textOf(token) };
}

/** Returns the text of a continue token. */
export const writeContinueToken = ({ versions, cluster, token }: ContinueToken): string =>
  write({ rv: versions, cluster, ...(token === '' ? {} : { continue: token }) });
