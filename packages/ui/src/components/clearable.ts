/** A choice can be taken back, by a button that the keyboard and a screen reader find, which they do not by themselves. */
export function clearable(label: string) {
  return { clearable: true, clearButtonProps: { 'aria-label': label, 'aria-hidden': false, tabIndex: 0 } } as const;
}
