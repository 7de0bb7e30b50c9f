import '../conformance/scenarios/scenarios.test.js';
