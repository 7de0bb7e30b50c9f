import '../docs/architecture.test.js';
import '../docs/decisions.test.js';
import '../docs/flags.test.js';
import '../docs/hostile-input.test.js';
import '../docs/examples.test.js';
import '../docs/interpreter.test.js';
import '../docs/links.test.js';
import '../docs/log-lines.test.js';
