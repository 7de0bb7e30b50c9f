/** YAML as sigs.k8s.io/yaml reads it. The only door to the yaml package. */
import {
  type CollectionTag,
  Composer,
  type CST,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type ScalarTag,
  type Tags,
} from 'yaml';
import { depthOf } from '../../openapi/meta/depth.js';
import { errorText } from '../../openapi/meta/error-text.js';
import { goQuote } from '../../openapi/meta/go-text.js';
import { type Int64, int64Of, leastInt64 } from '../../openapi/meta/json.js';

/** What Go's reader has no value for: dates, sexagesimal numbers, sets, pairs, ordered maps, binaries. */
const isForeign = (tag: ScalarTag | CollectionTag): boolean =>
  ('format' in tag && tag.format === 'TIME') || /:(?:timestamp|set|omap|pairs|binary)$/.test(tag.tag);

const hasForm = (tag: ScalarTag | CollectionTag): tag is ScalarTag => 'test' in tag;
const isPoint = (tag: ScalarTag): boolean => tag.tag.endsWith(':float') && tag.test?.test('.') === true;

/** Numbers with a point have a digit too; the package takes a point alone for one. */
const pointed = /^[-+]?(?=\.?[0-9])(?:[0-9][0-9_]*)?\.[0-9_]*$/;

/** What is too large for a float is a text. */
const finite = (value: number, text: string): number | string => (Number.isFinite(value) ? value : text);

/** Beyond uint64 Go reads a float. */
const exactInt = (value: bigint, text: string): Int64 | string =>
  value >= leastInt64 && value < 2n ** 64n ? int64Of(value) : finite(Number(value), text);

/** Whole numbers with all their digits. */
const ofInt = (tag: ScalarTag): ScalarTag => ({
  ...tag,
  resolve: (text, onError, options) => {
    const value = tag.resolve(text, onError, { ...options, intAsBigInt: true });
    return typeof value === 'bigint' ? exactInt(value, text) : value;
  },
});

const ofFloat = (tag: ScalarTag): ScalarTag => ({
  ...tag,
  resolve: (text, onError, options) => {
    const value = tag.resolve(text, onError, options);
    return typeof value === 'number' ? finite(value, text) : value;
  },
});

const readTags = (tags: Tags): Tags =>
  tags.flatMap((tag): Tags => {
    if (typeof tag === 'string') return [tag];
    if (isForeign(tag)) return [];
    if (!hasForm(tag)) return [tag];
    if (tag.tag.endsWith(':int')) return [ofInt(tag)];
    if (tag.format === 'EXP') return [ofFloat(tag)];
    return [isPoint(tag) ? { ...tag, test: pointed } : tag];
  });

/** A repeated key of a map, as Go writes it. `line`, from 1, is that on which its value begins. */
export interface DuplicateKey {
  readonly key: string;
  readonly line: number;
}

/** In the order in which Go's reader meets them: what is wrong in a value comes before what is wrong with its key. */
// as go.yaml.in/yaml/v2 decoder.mapping, setMapIndex
function duplicateKeys(node: unknown, lines: LineCounter, found: DuplicateKey[]): DuplicateKey[] {
  if (isSeq(node)) for (const item of node.items) duplicateKeys(item, lines, found);
  if (!isMap(node)) return found;
  const seen = new Set<unknown>();
  for (const { key, value } of node.items) {
    duplicateKeys(value, lines, found);
    if (!isScalar(key)) continue;
    const isEmpty = !isNode(value) || (isScalar(value) && value.value === null && !value.source);
    const place = isEmpty ? key : value;
    if (seen.has(key.value))
      found.push({
        key: typeof key.value === 'string' ? goQuote(key.value) : String(key.value),
        line: lines.linePos(place.range?.[0] ?? 0).line,
      });
    seen.add(key.value);
  }
  return found;
}

export type ParsedYaml =
  | { readonly type: 'value'; readonly value: unknown; readonly duplicates: readonly DuplicateKey[] }
  | { readonly type: 'error'; readonly text: string };

/** What go-yaml says where the yaml package says something of its own; the same fault, other words. */
const goTexts: readonly (readonly [RegExp, string])[] = [
  [/^Flow (?:sequence|map) in block collection must be sufficiently indented/, 'did not find expected node content'],
  [/^Nested mappings are not allowed in compact mappings/, 'mapping values are not allowed in this context'],
  [/^Tabs are not allowed as indentation/, 'found character that cannot start any token'],
  [
    /^Implicit (?:keys need to be on a single line|map keys need to be followed by map values)/,
    "could not find expected ':'",
  ],
  [/^Missing closing ["']quote/, 'found unexpected end of stream'],
  [/^Plain value cannot start with/, 'found character that cannot start any token'],
  [/^All mapping items must start at the same column/, 'did not find expected key'],
  [/^All sequence items must start at the same column/, "did not find expected '-' indicator"],
];

function goText(message: string): string {
  const unknown = /^Unresolved alias .*: (.*)$/.exec(message)?.[1];
  if (unknown !== undefined) return `unknown anchor '${unknown}' referenced`;
  return goTexts.find(([form]) => form.test(message))?.[1] ?? message;
}

/** The deepest nesting of YAML. differs: upstream reads 10000 levels; the yaml package needs much of the stack for each. */
const maxDepth = 300;
const tooDeep = `exceeded max depth of ${maxDepth}`;

const isList = (token: CST.Token): boolean =>
  token.type === 'block-seq' || (token.type === 'flow-collection' && token.start.source === '[');

/** What the tokens of a document say that is not to be composed; without recursion. */
function refusal(document: CST.Token, lines: LineCounter): string | undefined {
  let level = [document];
  for (let depth = 0; level.length > 0; depth++) {
    const [first] = level;
    if (first && depth > maxDepth) return `yaml: line ${lines.linePos(first.offset).line}: ${tooDeep}`;
    const next: CST.Token[] = [];
    for (const token of level) {
      if (token.type === 'document' && token.value) next.push(token.value);
      if (!('items' in token)) continue;
      for (const item of token.items) {
        // differs: upstream says what is in the key too. The package would write it as one, which takes very long for keys in keys.
        if (item?.key && 'items' in item.key)
          return `yaml: invalid map key: ${isList(item.key) ? '[]' : 'map[interface {}]'}interface {}{}`;
        if (item?.value) next.push(item.value);
      }
    }
    level = next.filter(token => 'items' in token);
  }
  return undefined;
}

/** The tokens of a text, or why there are none: the parser of the package takes quadratic time for what nests deeply. */
function tokensOf(text: string, lines: LineCounter): CST.Token[] | string {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > 2 * maxDepth) return `yaml: line ${lines.linePos(parser.offset).line}: ${tooDeep}`;
  }
  tokens.push(...parser.end());
  return tokens;
}

/** The first document of a text as a JSON value. Of repeated keys the last wins; they are told. */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const tokens = tokensOf(text, lines);
  if (typeof tokens === 'string') return { type: 'error', text: tokens };
  const first = tokens.find(({ type }) => type === 'document');
  const refused = first && refusal(first, lines);
  if (refused !== undefined) return { type: 'error', text: refused };
  const composer = new Composer({
    version: '1.1',
    merge: true,
    customTags: readTags,
    uniqueKeys: false, // its test takes quadratic time
    logLevel: 'error',
  });
  const [document] = composer.compose(tokens, true, text.length);
  if (!document) throw new Error('a text has a document, be it empty');
  const wrong = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
  if (wrong) return { type: 'error', text: `yaml: line ${lines.linePos(wrong.pos[0]).line}: ${goText(wrong.message)}` };
  const duplicates = duplicateKeys(document.contents, lines, []);
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    // Of aliases of what has aliases in it.
    if (depthOf(value, maxDepth) > maxDepth) return { type: 'error', text: `yaml: ${tooDeep}` };
    return { type: 'value', value, duplicates };
  } catch (error) {
    return { type: 'error', text: `yaml: ${goText(errorText(error))}` };
  }
}
