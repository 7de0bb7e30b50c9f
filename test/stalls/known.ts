/**
 * Rows that fail, by name, and why. A row leaves this table when it passes: the suite fails while a row that passes stands here. `INPUT/*` stands for
 * all rows of an input, and leaves when all of them pass.
 */
const parsing = 'documents are parsed on the event loop';
const nodes = 'the number of values in a body has no bound';
const causes = 'the causes of a refusal have no bound';
const schemas = 'schemas and patterns are compiled and judged without a bound';
const expressions = 'what an expression computes is not bounded in time and memory';
const answers = 'answers of other servers have no bound';
const lists = 'a list is put together in one turn of the event loop';
const patches = 'a patch of a large object is made in one turn of the event loop';
const selectors = 'a selector of 100,000 terms is read and judged in one turn of the event loop';

const connections =
  'one turn of the event loop serves all connections that have something to say, and all requests that came in one piece';

export const known: Readonly<Record<string, string>> = {
  'yaml/*': parsing,
  'json/*': nodes,
  'protobuf/*': nodes,
  'objects/*': `${nodes}; ${causes}`,
  'lists/*': lists,
  'patches/*': patches,
  'query/terms': selectors,
  'query/not-terms': selectors,
  'query/equal-values': selectors,
  'query/plus': selectors,
  'query/parameters': 'parameters of 900 KB are taken apart in one turn of the event loop',
  'connections/*': connections,
  'custom/*': schemas,
  'cel/*': expressions,
  'webhooks/*': answers,
  'members/*': answers,
  'overrides/*': parsing,
  'policies/*': selectors,
};
