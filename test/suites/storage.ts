import '../storage/conformance.test.js';
