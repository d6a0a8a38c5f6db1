/** How a page names sources, and where they are listed. */
export const SOURCE = { noun: 'source', plural: 'Sources', list: '/sources' } as const;
