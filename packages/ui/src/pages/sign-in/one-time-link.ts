/** The secret of a one-time link (`#link=…`), taken out of the address so that no history keeps it; null without one. */
export function takeLink(): string | null {
  const link = new URLSearchParams(window.location.hash.slice(1)).get('link');
  if (link !== null) history.replaceState(history.state, '', window.location.pathname + window.location.search);
  return link;
}
