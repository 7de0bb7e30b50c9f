/** Cached objects of members: the JSON text for answers, and the metadata for selection. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { jsonText, parseJson } from '../../lib/json/json.js';
import type { VersionDefinition } from '../../registry/interface.js';
import type { Stored } from '../../registry/pipeline/interface.js';
import type { KeptFields } from './kept-fields.js';
import { annotations } from '../../api/karmada/well-known.js';

export interface Cached extends KubeObject, Stored {
  /** The object as JSON, with the annotation of its cluster. */
  readonly json: Buffer;
  /** Offset of the resourceVersion's text in `json`. */
  readonly versionAt: number;
  /** The values of the fields that selectors of its version can name. */
  readonly fields: Fields;
  /** The functions that the fields were read with. */
  readonly readers: FieldReaders;
}

/** Values by the names of the fields; those without a value are absent. */
type Fields = Readonly<Record<string, string>>;

export type FieldReaders = VersionDefinition['selectableFields'];

/** Unused: versions are texts here, since members may have equal numbers. */
const noRevision = 0 as Stored['revision'];

/** The stored form of an object; the object is parsed on first use. */
class StoredJson implements Stored {
  readonly key: string;
  readonly json: Buffer;
  readonly revision = noRevision;
  readonly typeLength = 0;

  constructor(key: string, json: Buffer) {
    this.key = key;
    this.json = json;
  }

  get object(): KubeObject {
    return parseJson(this.json.toString('utf8')) as KubeObject;
  }
}

const noFields: Fields = {};
const noReaders: FieldReaders = {};

function fieldsOf(object: KubeObject, readers: FieldReaders): Fields {
  let fields: Record<string, string> | undefined;
  for (const name in readers) {
    const value = readers[name]?.(object) ?? '';
    if (value !== '') (fields ??= {})[name] = value;
  }
  return fields ?? noFields;
}

/** hot: called once for every object and change. Returns the cached form of an object. `kept`: the fields that its text has; absent: all. */
export function cache(
  object: KubeObject,
  cluster: string,
  readers: FieldReaders = noReaders,
  kept?: KeptFields,
): Cached {
  const { apiVersion, kind, metadata, ...rest } = kept?.of(object) ?? object;
  const { resourceVersion = '', ...meta } = metadata;
  const marked = { ...meta, annotations: { ...meta.annotations, [annotations.cachedFromCluster]: cluster } };
  const head = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":{"resourceVersion":"`;
  const tail = jsonText(rest);
  const body = `",${jsonText(marked).slice(1)}${tail === '{}' ? '}' : `,${tail.slice(1)}`}`;
  const { name = '', namespace, uid = '', labels } = meta;
  const slim = { name, ...(namespace ? { namespace } : {}), uid, ...(labels ? { labels } : {}), resourceVersion };
  const stored = new StoredJson(namespacedName(namespace, name), Buffer.from(head + resourceVersion + body));
  // Assigned onto the class instance, whose getter `object` must not be called now.
  const type: KubeObject = { apiVersion, kind, metadata: slim };
  return Object.assign(stored, type, {
    versionAt: Buffer.byteLength(head),
    readers,
    fields: fieldsOf(object, readers),
  });
}

/** Memory of a cached object in addition to its text, with its entries in the indexes for selectors, in bytes. */
const overhead = 1400;

/** Returns the memory of a cached object in bytes. */
export const memoryOf = ({ json }: Cached): number => json.length + overhead;

/** hot: returns the object with another resourceVersion. */
export function withVersion({ key, json, versionAt, metadata }: Cached, version: string): Stored {
  const { resourceVersion = '' } = metadata;
  const parts = [json.subarray(0, versionAt), Buffer.from(version), json.subarray(versionAt + resourceVersion.length)];
  return new StoredJson(key, Buffer.concat(parts));
}
