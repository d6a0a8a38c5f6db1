/** The nonce that the content security policy requires for style elements. The server writes a new one into each page it sends. */
export const styleNonce: string = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

// The library that locks scrolling behind a dialog reads it here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
