import '../conformance/consistency/linearizability.test.js';
import '../conformance/consistency/consistency.test.js';
