import '../cli/flags.test.js';
import '../cli/up.test.js';
