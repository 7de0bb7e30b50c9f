import '../rules/ids.test.js';
import '../rules/imports.test.js';
import '../rules/sleeps.test.js';
import '../coverage/branches.test.js';
import '../coverage/floors.test.js';
import '../rules/well-known-names.test.js';
import '../rules/language.test.js';
import '../rules/code.test.js';
