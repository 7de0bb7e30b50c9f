import '../conformance/fuzz.test.js';
