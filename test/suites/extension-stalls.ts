import '../stalls/extensions.test.js';
