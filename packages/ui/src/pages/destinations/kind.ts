/** The words for destinations, and the path of their list. */
export const DESTINATION = { noun: 'destination', plural: 'Destinations', list: '/destinations' } as const;
