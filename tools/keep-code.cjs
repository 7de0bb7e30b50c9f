// Preloaded (node --require) into a program that was bundled: when one of its threads ends, what the engine has compiled of the bundle in it
// is written to the folder that FLAGSHIP_CODE names.
const fs = require('node:fs');
const path = require('node:path');
const process = require('node:process');
const v8 = require('node:v8');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

v8.setFlagsFromString = () => {}; // it is for the options of those who start, which change them when all is loaded

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    if (path.basename(options?.filename ?? '') !== 'programs.cjs') return;
    const file = path.join(process.env.FLAGSHIP_CODE, isMainThread ? 'main' : 'thread');
    process.once('exit', () => fs.writeFileSync(file, this.createCachedData()));
  }
};
