// For the tests of this package.
export { Engine } from "./engine.js";
