/** Validates the parameters of lists and watches over all clusters as kube-apiserver does, before any member is asked. */
import { uintError } from '../../apimachinery/meta/resource-version.js';
import { badRequest } from '../../apimachinery/errors/status.js';
import type { ListQuery, WatchQuery } from '../../client/interface.js';
import {
  checkListOptions,
  checkWatch,
  invalidListVersion,
  readVersion,
} from '../../registry/pipeline/reads/list-options.js';
import { parseSelectors } from '../../registry/pipeline/reads/selection.js';
import { isEncoded } from './versions.js';

/**
 * Reports whether a version may be one of this server: encoded versions of clusters, or a number. A client may have a number from a server that it
 * used before, and gets the current state, as in pkg/search/proxy/store newMultiClusterResourceVersionFromString.
 */
// differs: Karmada ignores every other text, too
const mayBeVersion = (text: string): boolean => isEncoded(text) || uintError(text) === undefined;

/** Throws 400 or 422 for invalid parameters of a list. */
export function checkListOfAll(query: ListQuery): void {
  parseSelectors(query);
  checkListOptions(query);
  const { resourceVersion = '', continue: token = '' } = query;
  if (token !== '') {
    if (!isEncoded(token))
      throw badRequest('invalid continue token: continue key is not valid: it is not one of a list over all clusters');
    if (resourceVersion !== '' && resourceVersion !== '0')
      throw badRequest('specifying resource version is not allowed when using continue');
  } else if (resourceVersion !== '' && !mayBeVersion(resourceVersion)) throw invalidListVersion(resourceVersion);
}

/** Throws 400 or 422 for invalid parameters of a watch, and 500 for an invalid resourceVersion, as kube-apiserver. */
export function checkWatchOfAll(query: WatchQuery): void {
  parseSelectors(query);
  checkWatch(query);
  const { resourceVersion = '' } = query;
  if (resourceVersion !== '' && !mayBeVersion(resourceVersion)) readVersion(resourceVersion);
}
