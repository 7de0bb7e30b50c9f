/**
 * Rows that are not played unless STALL_ROWS names them, and why. `INPUT/*` stands for all rows of an input. A row leaves this table when it
 * passes: where it is played and passes, the suite fails.
 */
const schemas = 'compiling a definition takes one turn of the event loop';
const selectors = 'a selector of 100,000 terms is read and judged in one turn of the event loop';

export const known: Readonly<Record<string, string>> = {
  'json/digits': 'a number of a megabyte is read in one turn of the event loop',
  'objects/cron': 'a schedule of a megabyte is read in one turn of the event loop',
  'lists/large-objects': 'lists of large objects in every form take too long on a slow machine',
  'lists/many-objects': 'a list in protobuf is put together in large steps',
  'patches/large-object': 'the object of the row has more values than are allowed',
  'patches/json-long-path': 'a path of a megabyte is taken apart in one turn of the event loop',
  'query/terms': selectors,
  'query/plus': selectors,
  'query/parameters': 'parameters of 900 KB are taken apart in one turn of the event loop',
  'custom/*': schemas,
};
