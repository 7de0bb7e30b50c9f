/**
 * The messages of Karmada's estimators, with the fields and numbers of pkg/estimator/pb/estimator.proto. Fields that Karmada has removed are
 * skipped.
 */
import type {
  Component,
  NodeClaim,
  ObjectReference,
  ReplicaRequirements,
  ResourceList,
} from '../../../api/karmada/types.js';
import { setKey } from '../../../lib/json/clone.js';
import { MessageReader, MessageWriter } from '../../../lib/protobuf/message.js';
import { WireError } from '../../../lib/protobuf/reader.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import type { AssumedWorkload } from '../../interface.js';
import {
  readNodeSelector,
  readQuantity,
  readToleration,
  writeNodeSelector,
  writeQuantity,
  writeText,
  writeToleration,
} from './kubernetes-values.js';

interface ReplicasMessage {
  readonly cluster: string;
  readonly requirements?: ReplicaRequirements | undefined;
  readonly assumed?: readonly AssumedWorkload[];
}

interface SetsMessage {
  readonly cluster: string;
  readonly namespace: string;
  readonly components: readonly Component[];
  readonly assumed?: readonly AssumedWorkload[];
}

interface UnschedulableMessage {
  readonly cluster: string;
  readonly resource?: Pick<ObjectReference, 'apiVersion' | 'kind' | 'namespace' | 'name'> | undefined;
  /** How long replicas must have been unschedulable, in milliseconds. */
  readonly thresholdMs: number;
}

/** Maximum size of the requirements of one component in bytes: they are read in one step. */
const maxRequirementBytes = 256 * 1024;
/** Maximum number of components of one message. */
const maxComponents = 20_000;
const nanosecondsOfMs = 1_000_000;

/** Most messages are shorter. The writer grows if one is not. */
const usualBytes = 1024;

// --- writing --------------------------------------------------------------------------------------------------------

function writeTextIfAny(writer: MessageWriter, field: number, text: string | undefined): void {
  if (text) writeText(writer, field, text);
}

/** Writes a map from the last entry to the first. */
function writeMap(
  writer: MessageWriter,
  field: number,
  map: Readonly<Record<string, string>> | undefined,
  write: (writer: MessageWriter, value: string) => void,
): void {
  for (const [key, value] of Object.entries(map ?? {}).reverse()) {
    const entry = writer.mark;
    write(writer, value);
    writer.messageField(2, entry);
    writeText(writer, 1, key);
    writer.messageField(field, entry);
  }
}

function writeClaim(writer: MessageWriter, { nodeSelector, hardNodeAffinity, tolerations = [] }: NodeClaim): void {
  for (const toleration of tolerations.toReversed()) {
    const { mark } = writer;
    writeToleration(writer, toleration);
    writer.messageField(5, mark);
  }
  if (hardNodeAffinity) {
    const { mark } = writer;
    writeNodeSelector(writer, hardNodeAffinity);
    if (writer.mark > mark) writer.messageField(4, mark);
  }
  writeMap(writer, 2, nodeSelector, (inner, value) => inner.text(value));
}

/** The numbers of the fields that the requirements of a replica have, of a workload or of a component. */
interface RequirementFields {
  readonly namespace?: number;
  readonly priorityClassName: number;
  readonly resourceRequest: number;
}

const workloadFields: RequirementFields = { namespace: 3, priorityClassName: 4, resourceRequest: 5 };
const componentFields: RequirementFields = { priorityClassName: 3, resourceRequest: 4 };

function writeRequirements(writer: MessageWriter, requirements: ReplicaRequirements, fields: RequirementFields): void {
  const { nodeClaim, namespace, priorityClassName, resourceRequest } = requirements;
  writeMap(writer, fields.resourceRequest, resourceRequest, writeQuantity);
  writeTextIfAny(writer, fields.priorityClassName, priorityClassName);
  if (fields.namespace !== undefined) writeTextIfAny(writer, fields.namespace, namespace);
  if (!nodeClaim) return;
  const { mark } = writer;
  writeClaim(writer, nodeClaim);
  writer.messageField(1, mark);
}

function writeComponents(writer: MessageWriter, field: number, components: readonly Component[]): void {
  for (const { name, replicas, replicaRequirements } of components.toReversed()) {
    const start = writer.mark;
    writer.numberField(3, replicas);
    if (replicaRequirements) {
      const { mark } = writer;
      writeRequirements(writer, replicaRequirements, componentFields);
      writer.messageField(2, mark);
    }
    writeTextIfAny(writer, 1, name);
    writer.messageField(field, start);
  }
}

function writeAssumed(writer: MessageWriter, field: number, assumed: readonly AssumedWorkload[] = []): void {
  for (const { namespace, components } of assumed.toReversed()) {
    const { mark } = writer;
    writeComponents(writer, 2, components);
    writeTextIfAny(writer, 1, namespace);
    writer.messageField(field, mark);
  }
}

/** Returns a MaxAvailableReplicasRequest. Throws if a quantity is malformed. */
export function writeReplicasMessage({ cluster, requirements, assumed }: ReplicasMessage): Buffer {
  const writer = new MessageWriter(usualBytes);
  writeAssumed(writer, 3, assumed);
  if (requirements) {
    const { mark } = writer;
    writeRequirements(writer, requirements, workloadFields);
    writer.messageField(2, mark);
  }
  writeTextIfAny(writer, 1, cluster);
  return writer.finish();
}

/** Returns a MaxAvailableComponentSetsRequest. Throws if a quantity is malformed. */
export function writeSetsMessage({ cluster, namespace, components, assumed }: SetsMessage): Buffer {
  const writer = new MessageWriter(usualBytes);
  writeAssumed(writer, 4, assumed);
  writeTextIfAny(writer, 3, namespace);
  writeComponents(writer, 2, components);
  writeTextIfAny(writer, 1, cluster);
  return writer.finish();
}

/** Returns an UnschedulableReplicasRequest. */
export function writeUnschedulableMessage({ cluster, resource, thresholdMs }: UnschedulableMessage): Buffer {
  const writer = new MessageWriter(usualBytes);
  writer.numberField(3, Math.round(thresholdMs * nanosecondsOfMs));
  if (resource) {
    const { mark } = writer;
    writeTextIfAny(writer, 4, resource.name);
    writeTextIfAny(writer, 3, resource.namespace);
    writeTextIfAny(writer, 2, resource.kind);
    writeTextIfAny(writer, 1, resource.apiVersion);
    writer.messageField(2, mark);
  }
  writeTextIfAny(writer, 1, cluster);
  return writer.finish();
}

/** Returns the response of any method, which is a number. */
export function writeCount(count: number): Buffer {
  const writer = new MessageWriter(usualBytes);
  writer.numberField(1, count);
  return writer.finish();
}

// --- reading --------------------------------------------------------------------------------------------------------

/** Reads the fields of a message to its end. `read` returns false for a field that it does not know. */
function eachField(reader: MessageReader, read: (field: number) => boolean | void): void {
  for (let field = reader.next(); field !== 0; field = reader.next()) if (read(field) === false) reader.skipField();
}

function readEntry(
  reader: MessageReader,
  into: Record<string, string>,
  read: (reader: MessageReader) => string,
  otherwise: string,
): void {
  let [key, value] = ['', otherwise];
  eachField(reader, field => {
    if (field === 1) key = reader.text();
    else if (field === 2) value = reader.message(read);
    else return false;
  });
  setKey(into, key, value);
}

/** Returns the rest of a message as text. */
const restText = (reader: MessageReader): string => reader.rest().toString('utf8');

function readClaim(reader: MessageReader): NodeClaim {
  const claim: NodeClaim = {};
  eachField(reader, field => {
    if (field === 2) reader.message(entry => readEntry(entry, (claim.nodeSelector ??= {}), restText, ''));
    else if (field === 4) {
      const bytes = reader.bytes();
      if (bytes.length > 0) claim.hardNodeAffinity = readNodeSelector(bytes);
    } else if (field === 5) (claim.tolerations ??= []).push(reader.message(readToleration));
    else return false;
  });
  return claim;
}

function readRequirements(reader: MessageReader, fields: RequirementFields): ReplicaRequirements {
  const requirements: ReplicaRequirements = {};
  const request: ResourceList = {};
  eachField(reader, field => {
    if (field === 1) requirements.nodeClaim = reader.message(readClaim);
    else if (field === fields.namespace) requirements.namespace = reader.text();
    else if (field === fields.priorityClassName) requirements.priorityClassName = reader.text();
    else if (field === fields.resourceRequest) reader.message(entry => readEntry(entry, request, readQuantity, '0'));
    else return false;
  });
  if (Object.keys(request).length > 0) requirements.resourceRequest = request;
  return requirements;
}

function refuseLong(bytes: Buffer): Buffer {
  if (bytes.length > maxRequirementBytes) throw new WireError('the requirements of a component are too long');
  return bytes;
}

function readComponent(bytes: Buffer): Component {
  const reader = new MessageReader(refuseLong(bytes));
  const component: Component = { name: '', replicas: 0 };
  eachField(reader, field => {
    if (field === 1) component.name = reader.text();
    else if (field === 2)
      component.replicaRequirements = reader.message(inner => readRequirements(inner, componentFields));
    else if (field === 3) component.replicas = reader.varint() | 0;
    else return false;
  });
  return component;
}

/** Reads the components of one message, whose number is limited, in steps. */
class ComponentReader {
  readonly #strides = new Strides();
  #count = 0;

  *component(bytes: Buffer): InSteps<Component> {
    if (++this.#count > maxComponents) throw new WireError('there are too many components');
    if (this.#strides.isOver) yield;
    return readComponent(bytes);
  }

  *assumed(bytes: Buffer): InSteps<AssumedWorkload> {
    const reader = new MessageReader(bytes);
    const components: Component[] = [];
    let namespace = '';
    for (let field = reader.next(); field !== 0; field = reader.next())
      if (field === 1) namespace = reader.text();
      else if (field === 2) components.push(yield* this.component(reader.bytes()));
      else reader.skipField();
    return { namespace, components };
  }
}

/** Reads a MaxAvailableReplicasRequest. Throws WireError. */
export function* readReplicasMessage(bytes: Buffer): InSteps<ReplicasMessage> {
  const reader = new MessageReader(bytes);
  const components = new ComponentReader();
  const assumed: AssumedWorkload[] = [];
  let cluster = '';
  let requirements: ReplicaRequirements | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next())
    if (field === 1) cluster = reader.text();
    else if (field === 2)
      requirements = readRequirements(new MessageReader(refuseLong(reader.bytes())), workloadFields);
    else if (field === 3) assumed.push(yield* components.assumed(reader.bytes()));
    else reader.skipField();
  return { cluster, requirements, assumed };
}

/** Reads a MaxAvailableComponentSetsRequest. Throws WireError. */
export function* readSetsMessage(bytes: Buffer): InSteps<SetsMessage> {
  const reader = new MessageReader(bytes);
  const read = new ComponentReader();
  const components: Component[] = [];
  const assumed: AssumedWorkload[] = [];
  let [cluster, namespace] = ['', ''];
  for (let field = reader.next(); field !== 0; field = reader.next())
    if (field === 1) cluster = reader.text();
    else if (field === 2) components.push(yield* read.component(reader.bytes()));
    else if (field === 3) namespace = reader.text();
    else if (field === 4) assumed.push(yield* read.assumed(reader.bytes()));
    else reader.skipField();
  return { cluster, namespace, components, assumed };
}

function readReference(reader: MessageReader): NonNullable<UnschedulableMessage['resource']> {
  const texts = ['', '', '', ''];
  eachField(reader, field => {
    if (field > texts.length) return false;
    texts[field - 1] = reader.text();
  });
  const [apiVersion = '', kind = '', namespace = '', name = ''] = texts;
  return { apiVersion, kind, namespace, name };
}

/** Reads an UnschedulableReplicasRequest. Throws WireError. */
export function readUnschedulableMessage(bytes: Buffer): UnschedulableMessage {
  const reader = new MessageReader(bytes);
  let [cluster, thresholdMs] = ['', 0];
  let resource: UnschedulableMessage['resource'];
  eachField(reader, field => {
    if (field === 1) cluster = reader.text();
    else if (field === 2) resource = reader.message(readReference);
    else if (field === 3) thresholdMs = Number(reader.int64()) / nanosecondsOfMs;
    else return false;
  });
  return { cluster, resource, thresholdMs };
}

/** Reads the response of any method. Throws WireError. */
export function readCount(bytes: Buffer): number {
  const reader = new MessageReader(bytes);
  let count = 0;
  eachField(reader, field => {
    if (field === 1) count = reader.varint() | 0;
    else return false;
  });
  return count;
}
