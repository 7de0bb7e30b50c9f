import path from 'node:path';

/** Returns the normalized path after `.../proxy`. as karmada pkg/util/proxy ConnectCluster (path.Join) */
export function cleanPath(rest: string): string {
  if (!rest.includes('//') && !rest.includes('/.')) return rest;
  const clean = path.posix.normalize(rest);
  return clean.startsWith('/') ? clean : `/${clean}`;
}
