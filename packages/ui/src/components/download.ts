/** Offers texts to the user as one file to save. */
export function download(name: string, texts: readonly string[], type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...texts], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
