import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { JsonPatchOp } from '../../apimachinery/patch/json-patch.js';
import type { Overriders } from '../../api/karmada/types.js';
import { type Image, imageText, parseImage, withTagOrDigest } from './image.js';
import { strictPatch, stringMap } from './patch.js';
import { podSpecPath, valueAt } from './pod-spec.js';

type ImageOverrider = NonNullable<Overriders['imageOverrider']>[number];

/** Maximum characters of all images of one object together, which is more than a request can contain. */
const maxImagesLength = 4 * 1024 * 1024;

/** Changes one component of the images of all containers of well-known kinds, or of the image at the path of the predicate. */
export function overrideImages(object: KubeObject, overrider: ImageOverrider): KubeObject {
  const predicate = overrider.predicate?.path;
  const places = predicate === undefined ? containerImages(object) : [predicateImage(object, predicate)];
  let length = 0;
  const ops: JsonPatchOp[] = places.map(({ path, image }) => {
    const value = imageText(change(parseImage(image), overrider));
    length += value.length;
    // differs: upstream has no limit, so that one value of a policy can become a part of any number of images.
    if (length > maxImagesLength)
      throw new ExpectedError(`the overridden images are longer than ${maxImagesLength} characters together`);
    return { op: 'replace', path, value };
  });
  return ops.length === 0 ? object : strictPatch(object, ops);
}

interface Place {
  readonly path: string;
  readonly image: string;
}

function containerImages(object: KubeObject): Place[] {
  const path = podSpecPath(object.kind);
  const containers = path === undefined ? undefined : valueAt(object, [...path, 'containers']);
  if (!path || !Array.isArray(containers)) return [];
  for (const field of ['labels', 'annotations'] as const)
    if (object.metadata[field] && !stringMap(object, field))
      throw new ExpectedError(
        `failed to convert ${object.kind} from unstructured object: metadata.${field} must be strings`,
      );
  return containers.map((container: { image?: string }, i) => ({
    path: `/${path.join('/')}/containers/${i}/image`,
    image: container.image ?? '',
  }));
}

function predicateImage(object: KubeObject, path: string): Place {
  if (!path.startsWith('/')) throw new ExpectedError('imagePath should be start with / character');
  const image = valueAt(object, path.replace(/^\/+|\/+$/g, '').split('/'));
  if (typeof image !== 'string') throw new ExpectedError(`failed to obtain imageValue with predicate path(${path})`);
  return { path, image };
}

function change(image: Image, { component, operator, value = '' }: ImageOverrider): Image {
  const next = (now: string): string => (operator === 'add' ? now + value : operator === 'replace' ? value : '');
  switch (component) {
    case 'Registry':
      return { ...image, host: next(image.host) };
    case 'Repository':
      return { ...image, repository: next(image.repository) };
    case 'Tag':
      if (operator === 'remove') return image.tag ? { ...image, tag: '' } : { ...image, digest: '' };
      return withTagOrDigest(image, next(image.tag || image.digest));
    default:
      throw new ExpectedError(`unsupported image component(${String(component)})`);
  }
}
