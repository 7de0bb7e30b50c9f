/** Objects of members as they are kept: the text that answers are made of, and little more. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { objectKey } from '../../apimachinery/meta/gvk.js';
import { jsonText, parseJson } from '../../lib/json/json.js';
import type { Stored } from '../../registry/pipeline/interface.js';
import { annotations } from '../../api/karmada/well-known.js';

export interface Cached extends KubeObject, Stored {
  /** The whole object as JSON, marked with its cluster. */
  readonly json: Buffer;
  /** Where the text of its resourceVersion begins in `json`. */
  readonly versionAt: number;
}

/** Versions of members are text here: two of them may be the same number. */
const noRevision = 0 as Stored['revision'];

/** The answer's side of an object; the object itself is parsed when somebody wants to look into it. */
class Answered implements Stored {
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

/** hot: once for every object and change of it. */
export function cache(object: KubeObject, cluster: string): Cached {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { resourceVersion = '', ...meta } = metadata;
  const marked = { ...meta, annotations: { ...meta.annotations, [annotations.cachedFromCluster]: cluster } };
  const head = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":{"resourceVersion":"`;
  const tail = jsonText(rest);
  const body = `",${jsonText(marked).slice(1)}${tail === '{}' ? '}' : `,${tail.slice(1)}`}`;
  const { name = '', namespace, labels } = meta;
  const slim = { name, ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}), resourceVersion };
  const stored = new Answered(objectKey(namespace, name), Buffer.from(head + resourceVersion + body));
  // Onto the stored side, whose object is not to be parsed now.
  const type: KubeObject = { apiVersion, kind, metadata: slim };
  return Object.assign(stored, type, { versionAt: Buffer.byteLength(head) });
}

/** hot: the same object with another resourceVersion. */
export function withVersion({ key, json, versionAt, metadata }: Cached, version: string): Stored {
  const { resourceVersion = '' } = metadata;
  const parts = [json.subarray(0, versionAt), Buffer.from(version), json.subarray(versionAt + resourceVersion.length)];
  return new Answered(key, Buffer.concat(parts));
}
