/** Values of Kubernetes' types, which the messages of estimators contain as bytes. The field numbers are those of k8s.io/api and apimachinery. */
import { canonicalQuantity } from '../../../apimachinery/quantity/quantity.js';
import type { NodeClaim, Toleration } from '../../../api/karmada/types.js';
import { MessageReader, type MessageWriter } from '../../../lib/protobuf/message.js';

/** Writes a text, also an empty one, as Kubernetes does. */
export function writeText(writer: MessageWriter, field: number, text: string): void {
  const { mark } = writer;
  writer.text(text);
  writer.messageField(field, mark);
}

// --- Quantity -------------------------------------------------------------------------------------------------------

/** Throws if the quantity is malformed. */
export const writeQuantity = (writer: MessageWriter, quantity: string): void =>
  writeText(writer, 1, canonicalQuantity(quantity));

/** Reads a quantity as its text. as apimachinery/pkg/api/resource generated.proto Quantity */
export function readQuantity(reader: MessageReader): string {
  let text = '0';
  for (let field = reader.next(); field !== 0; field = reader.next())
    if (field === 1) text = reader.text();
    else reader.skipField();
  return text;
}

// --- NodeSelector ---------------------------------------------------------------------------------------------------

interface Requirement {
  key?: string;
  operator?: string;
  values?: string[];
}

interface Term {
  matchExpressions?: Requirement[];
  matchFields?: Requirement[];
}

type Affinity = NonNullable<NodeClaim['hardNodeAffinity']>;

/** Writes the items of a list from the last to the first. */
function writeList<T>(
  writer: MessageWriter,
  field: number,
  items: readonly T[] | undefined,
  write: (writer: MessageWriter, item: T) => void,
): void {
  for (const item of items?.toReversed() ?? []) {
    const { mark } = writer;
    write(writer, item);
    writer.messageField(field, mark);
  }
}

function writeRequirement(writer: MessageWriter, { key = '', operator = '', values }: Requirement): void {
  writeList(writer, 3, values, (inner, value) => inner.text(value));
  writeText(writer, 2, operator);
  writeText(writer, 1, key);
}

function writeTerm(writer: MessageWriter, { matchExpressions, matchFields }: Term): void {
  writeList(writer, 2, matchFields, writeRequirement);
  writeList(writer, 1, matchExpressions, writeRequirement);
}

/** Writes a node selector. as api/core/v1 generated.proto NodeSelector */
export function writeNodeSelector(writer: MessageWriter, selector: Affinity): void {
  writeList(writer, 1, selector['nodeSelectorTerms'] as Term[] | undefined, writeTerm);
}

function readRequirement(reader: MessageReader): Requirement {
  const requirement: Requirement = { key: '', operator: '' };
  for (let field = reader.next(); field !== 0; field = reader.next())
    if (field === 1) requirement.key = reader.text();
    else if (field === 2) requirement.operator = reader.text();
    else if (field === 3) (requirement.values ??= []).push(reader.text());
    else reader.skipField();
  return requirement;
}

function readTerm(reader: MessageReader): Term {
  const term: Term = {};
  for (let field = reader.next(); field !== 0; field = reader.next())
    if (field === 1) (term.matchExpressions ??= []).push(reader.message(readRequirement));
    else if (field === 2) (term.matchFields ??= []).push(reader.message(readRequirement));
    else reader.skipField();
  return term;
}

/** Reads a node selector. as api/core/v1 generated.proto NodeSelector */
export function readNodeSelector(bytes: Buffer): Affinity {
  const reader = new MessageReader(bytes);
  const nodeSelectorTerms: Term[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next())
    if (field === 1) nodeSelectorTerms.push(reader.message(readTerm));
    else reader.skipField();
  return { nodeSelectorTerms };
}

// --- Toleration -----------------------------------------------------------------------------------------------------

/** Writes a toleration, its last field first. as api/core/v1 generated.proto Toleration */
export function writeToleration(writer: MessageWriter, toleration: Toleration): void {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  if (tolerationSeconds !== undefined) writer.oneofField(5, tolerationSeconds);
  writeText(writer, 4, effect);
  writeText(writer, 3, value);
  writeText(writer, 2, operator);
  writeText(writer, 1, key);
}

const texts = ['key', 'operator', 'value', 'effect'] as const;

/** Reads a toleration without its empty texts, which are the same as none. */
export function readToleration(reader: MessageReader): Toleration {
  const toleration: Record<string, string | number> = {};
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    const name = texts[field - 1];
    if (name !== undefined) {
      const text = reader.text();
      if (text !== '') toleration[name] = text;
    } else if (field === 5) toleration['tolerationSeconds'] = Number(reader.int64());
    else reader.skipField();
  }
  return toleration;
}
