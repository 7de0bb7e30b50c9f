import type { Query, RequestInfo } from '../interface.js';

const methodVerbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Subresources of a namespace. Any other part after /namespaces/NAME/ is a resource in the namespace. */
const namespaceSubresources = new Set(['status', 'finalize']);
const selectableVerbs = new Set(['list', 'watch', 'deletecollection']);

/** A path that names no resource but should have. Answered with 500, as upstream. */
export class RequestInfoError extends Error {}

/** A path with an invalid escape. Answered with 400, as by Go's server. */
export class PathError extends Error {}

/** Decodes the percent escapes of a path. Returns the path unchanged if the result is not UTF-8. Throws PathError for an invalid escape. */
function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  if (/%(?![0-9a-fA-F]{2})/.test(path)) throw new PathError(path);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const slash = 0x2f;

function split(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === slash) start++;
  while (end > start && path.charCodeAt(end - 1) === slash) end--;
  return start === end ? [] : path.slice(start, end).split('/');
}

/** Reads a boolean as the parameter codec of kube-apiserver: a missing value, `0` and `false` are false, everything else is true. */
export function isTrueParameter(value: string | undefined): boolean {
  if (value === undefined) return false;
  const lower = value.toLowerCase();
  return lower !== 'false' && lower !== '0';
}

/** Returns NAME of `metadata.name=NAME` in a field selector; undefined when there is none, or when no path could contain it. */
export function selectedName(fieldSelector: string | undefined): string | undefined {
  if (!fieldSelector?.includes('metadata.name')) return undefined;
  for (const term of fieldSelector.split(',')) {
    const name = /^metadata\.name==?([^=].*|)$/.exec(term)?.[1];
    if (name === undefined || name === '') continue;
    return name === '.' || name === '..' || /[/%]/.test(name) ? undefined : name;
  }
  return undefined;
}

const nonResource = (path: string, method: string): RequestInfo => ({
  isResource: false,
  path,
  verb: method.toLowerCase(),
  prefix: '',
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: [],
  verbInPath: false,
  labelSelector: undefined,
  fieldSelector: undefined,
});

/**
 * Returns the resource, verb and other attributes of a request, from its method, path (as sent) and query. Throws PathError or RequestInfoError.
 * as apiserver/pkg/endpoints/request/requestinfo.go NewRequestInfo
 */
export function requestInfo(method: string, sentPath: string, query: Query): RequestInfo {
  const path = decodePath(sentPath);
  let parts = split(path);
  const prefix = parts[0];
  if ((prefix !== 'api' && prefix !== 'apis') || parts.length < (prefix === 'api' ? 3 : 4))
    return nonResource(path, method);
  const group = prefix === 'apis' ? (parts[1] ?? '') : '';
  const skip = prefix === 'apis' ? 2 : 1;
  const version = parts[skip] ?? '';
  parts = parts.slice(skip + 1);

  let verb = methodVerbs.get(method) ?? '';
  const verbInPath = parts[0] === 'watch' || parts[0] === 'proxy';
  if (verbInPath) {
    if (parts.length < 2) throw new RequestInfoError(`unable to determine kind and namespace from url, ${path}`);
    verb = parts[0] ?? '';
    parts = parts.slice(1);
  }
  let namespace = '';
  if (parts[0] === 'namespaces' && parts[1] !== undefined) {
    namespace = parts[1];
    if (parts[2] !== undefined && !namespaceSubresources.has(parts[2])) parts = parts.slice(2);
  }
  let name = parts[1] ?? '';
  const fieldSelector = query.get('fieldSelector');
  if (name === '' && verb === 'get') {
    verb = isTrueParameter(query.get('watch')) ? 'watch' : 'list';
    name = selectedName(fieldSelector) ?? '';
  }
  if (name === '' && verb === 'delete') verb = 'deletecollection';
  const selectable = !verbInPath && selectableVerbs.has(verb);
  return {
    isResource: true,
    path,
    verb,
    prefix,
    group,
    version,
    namespace,
    resource: parts[0] ?? '',
    subresource: verb === 'proxy' ? '' : (parts[2] ?? ''),
    name,
    parts,
    verbInPath,
    labelSelector: selectable ? query.get('labelSelector') : undefined,
    fieldSelector: selectable ? fieldSelector : undefined,
  };
}

/** `tunnel` is that of a Cluster, which upstream lacks. */
const longRunningSubresources = new Set(['attach', 'exec', 'proxy', 'log', 'portforward', 'tunnel']);

/** Reports whether a request runs without a deadline. as apiserver/pkg/server/filters BasicLongRunningRequestCheck */
export function isLongRunning(info: RequestInfo): boolean {
  return info.isResource
    ? info.verb === 'watch' || info.verb === 'proxy' || longRunningSubresources.has(info.subresource)
    : info.path.startsWith('/debug/pprof/');
}
