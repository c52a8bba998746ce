/** Downloads a file; a text with its media type, by default plain. */
export function saveFile(name: string, content: Blob | string, type = "text/plain"): void {
  const file = typeof content === "string" ? new Blob([content], { type }) : content;
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url));
}
