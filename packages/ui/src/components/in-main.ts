/** For `comboboxProps`, and for menus and popovers: what opens, opens inside of the page's main part, so that it belongs to a landmark. */
export const IN_MAIN = { portalProps: { target: 'main' } } as const;
