import type { KubeObject } from '../apimachinery/interface.js';
import { isMap } from '../lib/json/is-map.js';
import { UsageError } from './flags/flags.js';
import { type Document, readDocuments } from './read-documents.js';

/** An object with the file, folder or URL that it is from. */
export interface LoadedObject {
  readonly source: string;
  readonly object: KubeObject;
}

/** Returns the object of a document. as apimachinery unstructured.UnstructuredJSONScheme.Decode */
function loaded({ source, value }: Document): LoadedObject {
  const missing =
    isMap(value) && ['kind', 'apiVersion'].find(name => typeof value[name] !== 'string' || value[name] === '');
  if (!isMap(value)) throw new UsageError(`unable to decode "${source}": the document is no object`);
  if (missing)
    throw new UsageError(
      `unable to decode "${source}": Object '${missing === 'kind' ? 'Kind' : missing}' is missing in '${JSON.stringify(value).slice(0, 200)}'`,
    );
  const metadata = isMap(value['metadata']) ? value['metadata'] : {};
  return { source, object: { ...(value as KubeObject), metadata } };
}

/** Returns the objects in the files, folders and URLs of `--filename`. */
export async function loadObjects(names: readonly string[], recursive: boolean): Promise<LoadedObject[]> {
  return (await readDocuments(names, recursive)).map(loaded);
}

/** Returns the objects with those of lists in the place of the lists, as `kubectl get -o yaml` writes them. */
export const withoutLists = (objects: readonly LoadedObject[]): LoadedObject[] =>
  objects.flatMap(({ source, object }) => {
    const items = object['items'];
    if (!object.kind.endsWith('List') || !Array.isArray(items)) return [{ source, object }];
    return items.map(value => loaded({ source, value }));
  });
