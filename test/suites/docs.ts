import '../docs/architecture.test.js';
import '../docs/flags.test.js';
