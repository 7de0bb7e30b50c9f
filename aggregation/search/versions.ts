/** Encodes the versions of many clusters as one text, and positions in lists over them. as pkg/search/proxy/store/util.go */

/** Where each cluster stands. '0' for all: anything will do. */
export interface Versions {
  get(cluster: string): string;
  set(cluster: string, version: string): void;
  has(cluster: string): boolean;
  /** '' when no cluster is known. */
  toString(): string;
}

const read = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined; // whatever cannot be read says nothing
  }
};

const write = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function entriesOf(text: string): [string, string][] {
  const value = text === '' || text === '0' ? undefined : read(text);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

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

/** The version of an object that is in one cluster. */
export const versionIn = (cluster: string, version: string): string => write({ [cluster]: version });

/** What a version means to one cluster; undefined when it is none of ours. */
export function versionFor(cluster: string, text: string): string | undefined {
  const value = text === '' || text === '0' ? undefined : read(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const version = (value as Record<string, unknown>)[cluster];
  return typeof version === 'string' ? version : '';
}

/** Where the next page of a list begins. */
export interface Place {
  readonly versions: string;
  readonly cluster: string;
  /** The member's own token; '' at the beginning of a cluster. */
  readonly token: string;
}

export function readPlace(text: string): Place {
  const value = read(text);
  const {
    rv,
    cluster,
    continue: token,
  } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const textOf = (field: unknown): string => (typeof field === 'string' ? field : '');
  return { versions: textOf(rv), cluster: textOf(cluster), token: textOf(token) };
}

export const writePlace = ({ versions, cluster, token }: Place): string =>
  write({ rv: versions, cluster, ...(token === '' ? {} : { continue: token }) });
