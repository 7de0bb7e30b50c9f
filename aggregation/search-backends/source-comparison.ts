import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import type { Source } from './interface.js';
import type { StoredDocument } from './open-search-client.js';

type Owner = Pick<StoredDocument, 'cluster' | 'apiVersion' | 'kind'>;

/** Returns the key of a source in an index. An index has the objects of several: it is named by the kind only. */
export const ownerId = ({ cluster, apiVersion, kind }: Owner): string => JSON.stringify([cluster, apiVersion, kind]);

/** Returns the key of the versions of a kind in a cluster. An object has the same uid, and thus the same document, in all of them. */
export const versionsId = ({ cluster, apiVersion, kind }: Owner): string =>
  JSON.stringify([cluster, readApiVersion(apiVersion)?.group ?? apiVersion, kind]);

/** A source whose objects and documents are being compared. */
export class SourceComparison {
  readonly source: Source;
  /** The objects that have or get a document, including those that are created meanwhile. */
  readonly uids = new Set<string>();
  readonly end: () => void;

  constructor(source: Source) {
    this.source = source;
    this.end = source.onChange((_key, [, uid]) => uid && this.uids.add(uid));
  }
}
