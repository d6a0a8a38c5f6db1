/**
 * Some browsers name a language that is no tag (`en-US@posix`), and libraries that format by it throw. Then the page speaks
 * English, as all of its words do.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}
