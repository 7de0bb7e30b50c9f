import '../cli/flags.test.js';
