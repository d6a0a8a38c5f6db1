// What does not wait for the page's code. A file of its own, because the page allows no inline script.
(() => {
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const scheme = ['light', 'dark'].includes(chosen) ? chosen : system;
  document.documentElement.dataset.mantineColorScheme = scheme;

  // The first requests of the code (api/client.ts takes their answers).
  const { pathname, search } = location;
  const paths = ['/sign-in', '/invite'].includes(pathname) ? [] : ['/api/session'];
  if (pathname + search === '/') paths.push('/api/overview?last=1h');
  window.early = new Map(paths.map((path) => [path, fetch(path, { headers: { accept: 'application/json' } })]));
  // The request that takes an answer reports what is wrong with it.
  for (const answer of window.early.values()) answer.catch(() => undefined);
})();
