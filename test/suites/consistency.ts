import '../conformance/consistency/judge.test.js';
import '../conformance/consistency/consistency.test.js';
