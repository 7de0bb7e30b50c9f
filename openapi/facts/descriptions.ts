import { ownValue } from '../../lib/collections/own-value.js';
import { readTable } from './read.js';

/** Package -> type -> field -> text; the field '' is the type itself. */
type Texts = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

interface ParameterTexts {
  /** Parameter -> the text that most operations have for it. */
  readonly common: Readonly<Record<string, string>>;
  /** Operation -> parameter -> another text. */
  readonly operations: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A table that is held weakly: texts are looked up many times in the turn in which documents are made, and then not for long. */
function weakTable<T extends object>(file: string): () => T {
  let kept: WeakRef<T> | undefined;
  return () => {
    let table = kept?.deref();
    if (!table) {
      table = readTable(file) as T;
      kept = new WeakRef(table);
    }
    return table;
  };
}

const texts = weakTable<Texts>('descriptions.json');
const parameterTexts = weakTable<ParameterTexts>('parameter-descriptions.json');

const core = 'io.k8s.api.core.v1';

/**
 * What a native type, or a field of it, is for, in Kubernetes' words; undefined where they are not known. The build takes them from
 * packages that have them (tools/descriptions.mjs). All kinds have the same metadata, so one text does for those without their own.
 */
export function nativeDescription(typeName: string, field = ''): string | undefined {
  const dot = typeName.lastIndexOf('.');
  const [home, type] = [typeName.slice(0, dot), typeName.slice(dot + 1)];
  const table = texts();
  const text = ownValue(table[home]?.[type], field);
  if (text !== undefined || field !== 'metadata') return text;
  return ownValue(table[core]?.[type.endsWith('List') ? 'PodList' : 'Pod'], field);
}

/** Parameters that the packages do not know. */
const ownParameterTexts: Readonly<Record<string, string>> = { logpath: 'The path of a log file on the node.' };

/**
 * What a parameter of an operation is for, in Kubernetes' words; undefined where they are not known. Operations that the packages do not have
 * (custom resources, watches of old) have the text that most operations have.
 */
export function parameterDescription(operation: string, parameter: string): string | undefined {
  const { common, operations } = parameterTexts();
  return (
    ownValue(operations[operation], parameter) ?? ownValue(common, parameter) ?? ownValue(ownParameterTexts, parameter)
  );
}
