import { jsonText, parseJson } from '../../../lib/json/json.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { namespacedName } from '../../../apimachinery/meta/gvk.js';
import type { Stored } from '../../../registry/pipeline/interface.js';

/** An object that is computed for one answer, in the form in which handlers read stored ones. It is held as text. */
export class ComputedObject implements Stored {
  readonly key: string;
  readonly json: Buffer;
  /** Nothing is stored, so objects have no versions. */
  readonly revision = 0 as Stored['revision'];
  readonly typeLength: number;

  constructor({ kind, apiVersion, ...rest }: KubeObject) {
    const type = `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
    this.key = namespacedName(rest.metadata.namespace, rest.metadata.name ?? '');
    this.json = Buffer.from(`{${type}${jsonText(rest).slice(1)}`);
    this.typeLength = Buffer.byteLength(type);
  }

  get object(): KubeObject {
    return parseJson(this.json.toString('utf8')) as KubeObject;
  }
}
