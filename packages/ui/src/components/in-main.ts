/** For `comboboxProps`: the choices open inside of the page's main part, so that they belong to a landmark. */
export const IN_MAIN = { portalProps: { target: 'main' } } as const;
