/** For `comboboxProps`, menus and popovers: they open inside the page's `main` element, so that they belong to a landmark. */
export const IN_MAIN = { portalProps: { target: 'main' } } as const;
