/** The words for sources, and the path of their list. */
export const SOURCE = { noun: 'source', plural: 'Sources', list: '/sources' } as const;
