/**
 * Some browsers report a language that is not a valid tag (`en-US@posix`); libraries that format by it throw. The page
 * then uses English, the language of all its texts.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}
