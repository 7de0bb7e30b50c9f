/** YAML bodies of requests, which any user can send. */
import { type HostileRequest, requests, type Row } from '../row.js';

const post = (body: string): HostileRequest => ({
  method: 'POST',
  path: '/api/v1/namespaces/default/configmaps',
  headers: { 'content-type': 'application/yaml' },
  body,
});

/** Sends one body. `size`: its approximate number of bytes. */
const shape = (name: string, size: number, text: (size: number) => string): Row =>
  requests(`yaml/${name}`, size, size => [post(text(size))]);

const many = (size: number, line: (i: number) => string): string => {
  const lines: string[] = [];
  for (let length = 0, i = 0; length < size; i++) {
    const next = line(i);
    lines.push(next);
    length += next.length;
  }
  return lines.join('');
};
const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n';
const maxYamlBytes = 3_000_000;

const repeated: readonly (readonly [name: string, text: string])[] = [
  ['braces', '}'],
  ['open-braces', '{'],
  ['brackets', ']'],
  ['open-brackets', '['],
  ['quotes', '"'],
  ['single-quotes', "'"],
  ['questions', '? '],
  ['dashes', '- '],
  ['colons', ': '],
  ['commas', ','],
  ['anchors', '&a '],
  ['aliases', '*a '],
  ['tags', '! '],
  ['percents', '%\n'],
  ['pipes', '|\n'],
  ['tabs', '\t'],
  ['spaces', ' '],
  ['newlines', '\n'],
  ['returns', '\r'],
  ['comments', '#\n'],
  ['documents', '---\n'],
  ['ends', '...\n'],
  ['escapes', '"\\u0041"\n'],
  ['nul', '\0'],
  ['wide', '\u{1f984}'],
  ['merges', '<<: *a\n'],
];

export const yamlRows: readonly Row[] = [
  ...repeated.map(([name, text]) => shape(name, maxYamlBytes, size => text.repeat(size / Buffer.byteLength(text)))),
  shape('flow-list', maxYamlBytes, size => `${head}data: [${many(size, i => `${i},`)}]`),
  shape('keys', maxYamlBytes, size => `${head}data:\n${many(size, i => `  k${i}: v\n`)}`),
  shape('flow-keys', maxYamlBytes, size => `${head}data: {${many(size, i => `k${i}: v,`)}}`),
  shape('equal-keys', maxYamlBytes, size => `${head}data:\n${many(size, () => `  k: v\n`)}`),
  shape('list', maxYamlBytes, size => `${head}data:\n${many(size, i => `  - ${i}\n`)}`),
  shape('deep', 100_000, size => `${head}data:\n${many(size, i => `${' '.repeat((i % 290) + 2)}k:\n`)}`),
  shape('anchored', maxYamlBytes, size => `${head}data:\n${many(size, i => `  k${i}: &a${i} v\n`)}`),
  shape('laughs', 2000, size => `${head}a0: &a0 [x,x]\n${many(size, i => `a${i + 1}: &a${i + 1} [*a${i},*a${i}]\n`)}`),
  shape('block', maxYamlBytes, size => `${head}data:\n  k: |\n${many(size, i => `    line ${i}\n`)}`),
  shape('folded', maxYamlBytes, size => `${head}data:\n  k: >\n${many(size, i => `    line ${i}\n`)}`),
  shape('plain-lines', maxYamlBytes, size => `${head}data:\n  k: a\n${many(size, i => `    line ${i}\n`)}`),
  shape('long-key', maxYamlBytes, size => `${head}${'k'.repeat(size)}: v\n`),
  shape('comments-in', maxYamlBytes, size => `${head}data:\n${many(size, i => `  k${i}: v # comment\n`)}`),
  shape('crlf', maxYamlBytes, size => `${head}data:\r\n${many(size, i => `  k${i}: v\r\n`)}`),
  shape('tagged', maxYamlBytes, size => `${head}data:\n${many(size, i => `  k${i}: !!str ${i}\n`)}`),
  shape('binary', maxYamlBytes, size => `${head}data:\n  k: !!binary ${'A'.repeat(size)}\n`),
  requests('yaml/random', 1_000_000, function* (size, random) {
    const pieces = [...repeated.map(([, text]) => text), '\n', '\n  ', 'a', 'a: ', 'k1', '- a\n'];
    for (let i = 0; i < 4; i++) yield post(many(size, () => random.pick(pieces)));
  }),
  requests('yaml/apply', maxYamlBytes, size => [
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/default/configmaps/x?fieldManager=a',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: `${head}data:\n${many(size, i => `  k${i}: v\n`)}`,
    },
  ]),
];
