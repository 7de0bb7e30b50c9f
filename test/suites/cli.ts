import '../cli/flags.test.js';
import '../cli/up.test.js';
import '../cli/controller-selection.test.js';
