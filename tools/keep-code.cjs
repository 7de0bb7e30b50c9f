// Preloaded (node --require) into a bundled program: when one of its threads ends, the code caches of the bundle's files in that thread are
// written to the folder FLAGSHIP_CODE.
const fs = require('node:fs');
const path = require('node:path');
const process = require('node:process');
const v8 = require('node:v8');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

v8.setFlagsFromString = () => {}; // disabled, since the code cache must be valid for the options at start

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    const name = path.basename(options?.filename ?? '');
    if (!name.endsWith('.cjs')) return;
    const file = path.join(process.env.FLAGSHIP_CODE, `${isMainThread ? 'main' : 'thread'}-${name}`);
    process.once('exit', () => fs.writeFileSync(file, this.createCachedData()));
  }
};
