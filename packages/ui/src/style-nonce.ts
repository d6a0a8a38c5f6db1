/**
 * The nonce that style elements need under the content security policy. The server writes a new one into each page it
 * sends.
 */
export const styleNonce: string = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

// Where the library that locks scrolling behind a dialog looks for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
