import { own } from '../meta/own.js';
import { readTable } from './read.js';

/** Package -> type -> field -> text; the field '' is the type itself. */
type Texts = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

/** Held weakly: the texts are looked at while documents are made, many times in one turn, and then not for long. */
let kept: WeakRef<Texts> | undefined;

function texts(): Texts {
  let table = kept?.deref();
  if (!table) {
    table = readTable('descriptions.json') as Texts;
    kept = new WeakRef(table);
  }
  return table;
}

const core = 'io.k8s.api.core.v1';

/**
 * What a native type, or a field of it, is for, in Kubernetes' words; undefined where they are not known. The build takes them from
 * packages that have them (tools/descriptions.mjs). All kinds have the same metadata, so one text does for those without their own.
 */
export function nativeDescription(typeName: string, field = ''): string | undefined {
  const dot = typeName.lastIndexOf('.');
  const [home, type] = [typeName.slice(0, dot), typeName.slice(dot + 1)];
  const table = texts();
  const text = own(table[home]?.[type], field);
  if (text !== undefined || field !== 'metadata') return text;
  return own(table[core]?.[type.endsWith('List') ? 'PodList' : 'Pod'], field);
}
