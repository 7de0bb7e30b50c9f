import '../conformance/scenarios.test.js';
