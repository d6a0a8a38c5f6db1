/**
 * Props for a select field with a clear button that the keyboard and a screen reader can reach. Mantine's own button is
 * hidden from both.
 */
export function clearable(label: string) {
  return { clearable: true, clearButtonProps: { 'aria-label': label, 'aria-hidden': false, tabIndex: 0 } } as const;
}
