import '../openapi/meta/go-text.test.js';
import '../openapi/meta/status.test.js';
