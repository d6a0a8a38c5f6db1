// Sets the chosen colour scheme before the first paint. A file of its own, because the page allows no inline script.
(() => {
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const scheme = chosen === 'light' || chosen === 'dark' ? chosen : system;
  document.documentElement.dataset.mantineColorScheme = scheme;
})();
