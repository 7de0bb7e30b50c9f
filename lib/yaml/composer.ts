import type { ReadLimits, RepeatedKey } from './interface.js';
import { MapBuilder } from './map-builder.js';
import type { YamlNode } from './node.js';
import { resolveScalar } from './resolve.js';
import { Scanner } from './scanner.js';
import type { YamlToken, TokenType } from './token.js';
import { ValueFaults } from './value-faults.js';
import { YamlError } from './yaml-error.js';

/** The target of an anchor. It has no node while the node is being read. */
interface Anchored {
  node?: YamlNode;
  nodes: number;
  text: number;
  depth: number;
}

/** Returns the share of a document's nodes that aliases may make up. as go.yaml.in/yaml/v2 allowedAliasRatio */
function allowedShare(nodes: number): number {
  const [few, many] = [400_000, 4_000_000];
  if (nodes <= few) return 0.99;
  return nodes >= many ? 0.1 : 0.99 - (0.89 * (nodes - few)) / (many - few);
}

const endsDocument = new Set<TokenType>([
  ...(['document-start', 'document-end', 'stream-end', 'tag-directive', 'version-directive'] as const),
]);
/** Token types that follow an empty value. */
const endsBlockEntry = new Set<TokenType>(['block-entry', 'block-end']);
const endsPlainEntry = new Set<TokenType>(['block-entry', 'key', 'value', 'block-end']);
const endsBlockPart = new Set<TokenType>(['key', 'value', 'block-end']);
const endsPairPart = new Set<TokenType>(['value', 'flow-entry', 'flow-sequence-end']);
const endsFlowPart = new Set<TokenType>(['value', 'flow-entry', 'flow-mapping-end']);

/** Builds the value of the first document of a text. Throws YamlError at the first error. */
// as go.yaml.in/yaml/v2 parserc.go, decode.go
export class Composer {
  readonly repeated: RepeatedKey[] = [];
  readonly #scanner: Scanner;
  readonly #limits: ReadLimits;
  readonly #anchors = new Map<string, Anchored>();
  readonly #handles = new Map([
    ['', ''],
    ['!', '!'],
    ['!!', 'tag:yaml.org,2002:'],
  ]);
  readonly #faults = new ValueFaults();
  /** The document contains an infinite number or NaN. */
  #hasOddNumbers = false;
  #nodes = 0;
  #aliasNodes = 0;
  #text = 0;
  #aliasText = 0;
  #depth = 0;
  /** The deepest level so far within the innermost anchor. */
  #deepest = 0;

  constructor(text: string, limits: ReadLimits) {
    this.#scanner = new Scanner(text);
    this.#limits = limits;
  }

  /** Returns the value; null for a text without a document. Nothing after the document is read. */
  document(): unknown {
    const value = this.#root();
    if (this.#hasOddNumbers) this.#refuseOddNumbers(value);
    if (this.#faults.first !== undefined) throw YamlError.of(this.#faults.first);
    return value;
  }

  #root(): unknown {
    const scanner = this.#scanner;
    while (scanner.peek().type === 'document-end') scanner.next();
    if (scanner.peek().type === 'stream-end') return null;
    this.#directives();
    if (scanner.peek().type !== 'document-start') return this.#node('block', false).value;
    scanner.next();
    return endsDocument.has(scanner.peek().type) ? null : this.#node('block', false).value;
  }

  /** Reports infinite numbers and NaN, which JSON does not have. as encoding/json UnsupportedValueError */
  #refuseOddNumbers(value: unknown): void {
    if (typeof value === 'number' && !Number.isFinite(value))
      this.#faults.json(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
    if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) this.#refuseOddNumbers(part);
  }

  #directives(): void {
    let count = 0;
    let version = false;
    const declared = new Set<string>();
    for (; ; count++) {
      const next = this.#scanner.peek();
      if (next.type === 'version-directive') {
        if (version) this.#fail('found duplicate %YAML directive', next);
        if (next.value !== '1.1') this.#fail('found incompatible YAML document', next);
        version = true;
      } else if (next.type === 'tag-directive') {
        if (declared.has(next.handle)) this.#fail('found duplicate %TAG directive', next);
        declared.add(next.handle);
        this.#handles.set(next.handle, next.value);
      } else if (count > 0 && next.type !== 'document-start')
        this.#fail('did not find expected <document start>', next);
      else return;
      this.#scanner.next();
    }
  }

  /** Throws. Go's reader reports the line before, except for the first line. */
  #fail(problem: string, { line }: YamlToken): never {
    throw new YamlError(problem, Math.max(line, 1));
  }

  #count(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > this.#limits.nodes) throw new YamlError(`exceeded max number of nodes of ${this.#limits.nodes}`);
  }

  // --- nodes --------------------------------------------------------------------------------------------------

  /** Reads a node. `isValue`: it is the value of a key, so a list may begin at the key's column. */
  #node(context: 'block' | 'flow', isValue: boolean): YamlNode {
    const scanner = this.#scanner;
    const first = scanner.peek();
    if (first.type === 'alias') return this.#alias(scanner.next());
    if (first.type !== 'anchor' && first.type !== 'tag') return this.#content(context, isValue, first, undefined);
    let anchor: YamlToken | undefined;
    let tag: YamlToken | undefined;
    for (;;) {
      const { type } = scanner.peek();
      if (type === 'anchor' && !anchor) anchor = scanner.next();
      else if (type === 'tag' && !tag) tag = scanner.next();
      else break;
    }
    const fullTag = tag && this.#tagOf(tag);
    if (!anchor) return this.#content(context, isValue, first, fullTag);
    return this.#anchored(anchor.value, () => this.#content(context, isValue, first, fullTag));
  }

  #tagOf(tag: YamlToken): string {
    const prefix = this.#handles.get(tag.handle);
    if (prefix === undefined) return this.#fail('found undefined tag handle', tag);
    return prefix + tag.value;
  }

  /** Reads the content of a node. `first`: the node's first token, which may be an anchor or a tag. */
  #content(context: 'block' | 'flow', isValue: boolean, first: YamlToken, tag: string | undefined): YamlNode {
    const next = this.#scanner.peek();
    const { line } = first;
    switch (next.type) {
      case 'scalar':
        this.#scanner.next();
        return this.#scalar(next.value, tag ?? '', next.isPlain, line);
      case 'flow-sequence-start':
        return this.#collection('list', line, () => this.#flowList());
      case 'flow-mapping-start':
        return this.#collection('map', line, () => this.#flowMap());
      case 'block-entry':
        if (isValue) return this.#collection('list', line, () => this.#plainList());
        break;
      case 'block-sequence-start':
        if (context === 'block') return this.#collection('list', line, () => this.#blockList());
        break;
      case 'block-mapping-start':
        if (context === 'block') return this.#collection('map', line, () => this.#blockMap());
        break;
      default:
    }
    if (first !== next) return this.#scalar('', tag ?? '', tag === undefined, line);
    return this.#fail('did not find expected node content', next);
  }

  #scalar(text: string, tag: string, isPlain: boolean, line: number): YamlNode {
    this.#count(1);
    this.#text += text.length;
    const value = resolveScalar(text, tag, isPlain, this.#faults);
    if (typeof value === 'number' && !Number.isFinite(value)) this.#hasOddNumbers = true;
    return { value, type: 'scalar', line, isPlain: isPlain && tag === '' };
  }

  /** Returns the node of a missing value. */
  #empty(line: number): YamlNode {
    return this.#scalar('', '', true, line);
  }

  #collection(type: 'list' | 'map', line: number, read: () => unknown): YamlNode {
    this.#count(1);
    if (++this.#depth > this.#limits.depth)
      throw new YamlError(`exceeded max depth of ${this.#limits.depth}`, this.#scanner.peek().line + 1);
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
    const value = read();
    this.#depth--;
    return { value, type, line, isPlain: false };
  }

  // --- anchors ------------------------------------------------------------------------------------------------

  #anchored(name: string, read: () => YamlNode): YamlNode {
    const anchored: Anchored = { nodes: -this.#nodes, text: -this.#text, depth: 0 };
    this.#anchors.set(name, anchored);
    const outer = this.#deepest;
    this.#deepest = this.#depth;
    const node = read();
    anchored.node = node;
    anchored.nodes += this.#nodes;
    anchored.text += this.#text;
    anchored.depth = this.#deepest - this.#depth;
    this.#deepest = Math.max(outer, this.#deepest);
    return node;
  }

  #alias({ value: name, line }: YamlToken): YamlNode {
    const anchored = this.#anchors.get(name);
    if (!anchored) throw new YamlError(`unknown anchor '${name}' referenced`);
    const { node, nodes, text, depth } = anchored;
    if (!node) throw new YamlError(`anchor '${name}' value contains itself`);
    this.#count(nodes + 1);
    this.#text += text;
    this.#aliasNodes += nodes;
    this.#aliasText += text;
    const isTooMuch = this.#nodes > 100 && this.#aliasNodes / this.#nodes > allowedShare(this.#nodes);
    if (isTooMuch || this.#aliasText > this.#limits.aliasText)
      throw new YamlError('document contains excessive aliasing');
    if (this.#depth + depth > this.#limits.depth) throw new YamlError(`exceeded max depth of ${this.#limits.depth}`);
    this.#deepest = Math.max(this.#deepest, this.#depth + depth);
    return { ...node, line, isPlain: false };
  }

  // --- lists --------------------------------------------------------------------------------------------------

  #blockList(): unknown[] {
    const scanner = this.#scanner;
    const list: unknown[] = [];
    scanner.next();
    while (scanner.peek().type === 'block-entry') {
      const { line } = scanner.next();
      list.push(this.#part('block', false, endsBlockEntry, line).value);
    }
    const end = scanner.peek();
    if (end.type !== 'block-end') this.#fail("did not find expected '-' indicator", end);
    scanner.next();
    return list;
  }

  /** Reads a list at the column of its key. */
  #plainList(): unknown[] {
    const list: unknown[] = [];
    while (this.#scanner.peek().type === 'block-entry') {
      const { line } = this.#scanner.next();
      list.push(this.#part('block', false, endsPlainEntry, line).value);
    }
    return list;
  }

  #flowList(): unknown[] {
    const scanner = this.#scanner;
    const list: unknown[] = [];
    scanner.next();
    for (;;) {
      const next = scanner.peek();
      if (next.type === 'flow-sequence-end') break;
      if (next.type === 'key') list.push(this.#collection('map', next.line, () => this.#pair()).value);
      else list.push(this.#node('flow', false).value);
      if (this.#hasNext('flow-sequence-end', "did not find expected ',' or ']'")) continue;
      break;
    }
    scanner.next();
    return list;
  }

  /** Returns whether a comma follows a part of a flow collection, and takes it. */
  #hasNext(end: TokenType, problem: string): boolean {
    const next = this.#scanner.peek();
    if (next.type === end) return false;
    if (next.type !== 'flow-entry') this.#fail(problem, next);
    this.#scanner.next();
    return true;
  }

  // --- maps ---------------------------------------------------------------------------------------------------

  /** Reads the node after an indicator; a missing one is empty. */
  #part(context: 'block' | 'flow', isValue: boolean, ends: ReadonlySet<TokenType>, line: number): YamlNode {
    return ends.has(this.#scanner.peek().type) ? this.#empty(line) : this.#node(context, isValue);
  }

  /** Reads a value, if there is one. `line`: that of the key. */
  #value(context: 'block' | 'flow', ends: ReadonlySet<TokenType>, line: number): YamlNode {
    if (this.#scanner.peek().type !== 'value') return this.#empty(line);
    const sign = this.#scanner.next();
    return this.#part(context, context === 'block', ends, sign.line);
  }

  #blockMap(): object {
    const scanner = this.#scanner;
    const map = new MapBuilder(this.repeated, this.#faults);
    scanner.next();
    while (scanner.peek().type === 'key') {
      const sign = scanner.next();
      const key = this.#part('block', true, endsBlockPart, sign.line);
      map.set(key, this.#value('block', endsBlockPart, key.line));
    }
    const end = scanner.peek();
    if (end.type !== 'block-end') this.#fail('did not find expected key', end);
    scanner.next();
    return map.value;
  }

  /** Reads the single pair in `[a: b]`. */
  #pair(): object {
    const map = new MapBuilder(this.repeated, this.#faults);
    const sign = this.#scanner.next();
    const key = this.#part('flow', false, endsPairPart, sign.line);
    map.set(key, this.#value('flow', endsPairPart, key.line));
    return map.value;
  }

  #flowMap(): object {
    const scanner = this.#scanner;
    const map = new MapBuilder(this.repeated, this.#faults);
    scanner.next();
    for (;;) {
      const next = scanner.peek();
      if (next.type === 'flow-mapping-end') break;
      if (next.type === 'key') {
        scanner.next();
        const key = this.#part('flow', false, endsFlowPart, next.line);
        map.set(key, this.#value('flow', endsFlowPart, key.line));
      } else {
        const key = this.#node('flow', false);
        map.set(key, this.#empty(key.line));
      }
      if (!this.#hasNext('flow-mapping-end', "did not find expected ',' or '}'")) break;
    }
    scanner.next();
    return map.value;
  }
}
