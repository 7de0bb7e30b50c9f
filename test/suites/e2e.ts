import '../e2e/kubectl.test.js';
