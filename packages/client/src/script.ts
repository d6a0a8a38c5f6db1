import { Millrace } from './browser.ts';

// A page without modules finds the class as a global.
Object.assign(globalThis, { Millrace });
