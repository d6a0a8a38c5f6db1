/** How a page names destinations, and where they are listed. */
export const DESTINATION = { noun: 'destination', plural: 'Destinations', list: '/destinations' } as const;
