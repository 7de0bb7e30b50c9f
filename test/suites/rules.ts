import '../rules/ids.test.js';
import '../rules/imports.test.js';
import '../rules/sleeps.test.js';
