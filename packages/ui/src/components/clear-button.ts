/** For `clearButtonProps`: a button that the keyboard and a screen reader find, which they do not without it. */
export function clearButton(label: string) {
  return { 'aria-label': label, 'aria-hidden': false, tabIndex: 0 } as const;
}
