// Made by `npm run generate`. Do not edit.
import type { KubeObject } from '../../apimachinery/interface.js';
/** An object of a kind: its own fields beside those that every object has. */
export type Kind<T> = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'> & {
  [F in keyof T as F extends 'apiVersion' | 'kind' | 'metadata' ? never : F]: T[F];
};
