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

/** Returns a table that is kept by a weak reference: texts are looked up often while documents are built, and rarely afterwards. */
function weakTable<T extends object>(file: string): () => T {
  let reference: WeakRef<T> | undefined;
  return () => {
    let table = reference?.deref();
    if (!table) {
      table = readTable(file) as T;
      reference = new WeakRef(table);
    }
    return table;
  };
}

const texts = weakTable<Texts>('descriptions.json');
const parameterTexts = weakTable<ParameterTexts>('parameter-descriptions.json');

const core = 'io.k8s.api.core.v1';

/**
 * Returns Kubernetes' description of a native type or of one of its fields; undefined if it is not known. The build takes the descriptions
 * from development packages (tools/descriptions.mjs). A kind without a description of its metadata gets that of Pod.
 */
export function nativeDescription(typeName: string, field = ''): string | undefined {
  const dot = typeName.lastIndexOf('.');
  const [packageName, type] = [typeName.slice(0, dot), typeName.slice(dot + 1)];
  const table = texts();
  const text = ownValue(table[packageName]?.[type], field);
  if (text !== undefined || field !== 'metadata') return text;
  return ownValue(table[core]?.[type.endsWith('List') ? 'PodList' : 'Pod'], field);
}

/** Descriptions of parameters that are missing in the packages. */
const missingParameterTexts: Readonly<Record<string, string>> = { logpath: 'The path of a log file on the node.' };

/**
 * Returns Kubernetes' description of a parameter; undefined if it is not known. Operations that are missing in the packages (those of custom
 * resources, and the deprecated watches) have the description of most operations.
 */
export function parameterDescription(operation: string, parameter: string): string | undefined {
  const { common, operations } = parameterTexts();
  return (
    ownValue(operations[operation], parameter) ??
    ownValue(common, parameter) ??
    ownValue(missingParameterTexts, parameter)
  );
}
